/**
 * A host in a process of its own, so that it can be killed: `node host-process.ts`, with settings and an order as JSON on
 * its standard input. Without an order it takes up what is there. Says "ready" and stays.
 */
import { text } from "node:stream/consumers"
import { Host } from "../../actors/runtime/host/host.ts"
import type { HostSettings, StartOrder } from "../../actors/runtime/host/types.ts"

export interface HostInput {
  readonly settings: Omit<HostSettings, "note">
  readonly order: (Omit<StartOrder, "env"> & { readonly env: ReadonlyArray<readonly [string, string]> }) | null
}

const { settings, order } = JSON.parse(await text(process.stdin)) as HostInput
const host = await Host.open(settings)
if (order === null) for (const { compartment } of await host.list()) await host.adopt(compartment)
else await host.start({ ...order, env: new Map(order.env) }, () => undefined)
console.log("ready")
setInterval(() => undefined, 1000)
