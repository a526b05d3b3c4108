/**
 * The container engine, over its socket. Calls have a time limit; streams have none. A failure is reported in one line.
 */
import { Agent } from "node:http"
import { access } from "node:fs/promises"
import { inspect } from "node:util"
import Docker from "dockerode"
import { HostFault, messageOf } from "./fault.ts"

/** An engine that is loading images, or a busy machine, answers late. */
const CALL_TIMEOUT_MS = 30_000

export const LABELS = {
  tag: "hub.tag",
  compartment: "hub.compartment",
  run: "hub.run",
  slot: "hub.slot"
} as const

export interface NetworkPlan {
  readonly bridge: string
  readonly subnet: string
  readonly gateway: string
}

const statusOf = (cause: unknown): number | null => {
  const status = (cause as { statusCode?: unknown } | null)?.statusCode
  return typeof status === "number" ? status : null
}

export const isMissing = (cause: unknown): boolean => statusOf(cause) === 404
/** True if the state is already as wanted, or something is in the way. */
export const isConflict = (cause: unknown): boolean => statusOf(cause) === 409 || statusOf(cause) === 304

/** The engine could not be reached, or could not do it now. A later try may succeed. */
export class EngineFault extends HostFault {}

/** null if the engine has no such object. */
export async function orMissing<A>(answer: Promise<A>): Promise<A | null> {
  try {
    return await answer
  } catch (cause) {
    if (isMissing(cause)) return null
    throw new EngineFault(`the container engine refused: ${messageOf(cause)}`, { cause })
  }
}

export async function called<A>(answer: Promise<A>): Promise<A> {
  try {
    return await answer
  } catch (cause) {
    throw new EngineFault(`the container engine refused: ${messageOf(cause)}`, { cause })
  }
}

export interface EngineClient {
  /** The client for calls that have a time limit (`CALL_TIMEOUT_MS`). */
  readonly calls: Docker
  /** The client for streams, which may be silent for hours. */
  readonly streams: Docker
}

/**
 * The client's library formats the options of each call for its debug log, even if the log is off, and an agent refers
 * to all calls under way. With a hundred calls each one took a second.
 */
export class QuietAgent extends Agent {
  [inspect.custom](): string {
    return "agent"
  }
}

/** `host` overrides DOCKER_HOST of the environment, which may name another engine. */
function clientOf(socketPath: string, timeout: number): Docker {
  const options = { socketPath, host: undefined, timeout, agent: new QuietAgent({ keepAlive: false }) }
  return new Docker(options)
}

export function openEngine(socket: string): EngineClient {
  return { calls: clientOf(socket, CALL_TIMEOUT_MS), streams: clientOf(socket, 0) }
}

const deviceIsThere = (bridge: string): Promise<boolean> =>
  access(`/sys/class/net/${bridge}`).then(
    () => true,
    () => false
  )

export class EngineNetworks {
  private readonly docker: Docker

  constructor(socket: string) {
    this.docker = openEngine(socket).calls
  }

  /** Makes a bridge network. An existing one with other settings, or without its device, is replaced. */
  async ensureNetwork(name: string, plan: NetworkPlan): Promise<void> {
    const found = await orMissing(this.docker.getNetwork(name).inspect())
    if (found !== null) {
      const ipam = found.IPAM?.Config?.[0]
      const fits = ipam?.["Subnet"] === plan.subnet && ipam["Gateway"] === plan.gateway
      const bridge = found.Options?.["com.docker.network.bridge.name"]
      if (fits && bridge === plan.bridge && (await deviceIsThere(plan.bridge))) return
      await this.removeNetwork(name)
    }
    await called(
      this.docker.createNetwork({
        Name: name,
        CheckDuplicate: true,
        Driver: "bridge",
        EnableIPv6: false,
        IPAM: { Driver: "default", Config: [{ Subnet: plan.subnet, Gateway: plan.gateway }] },
        Options: {
          "com.docker.network.bridge.name": plan.bridge,
          "com.docker.network.bridge.enable_icc": "false",
          "com.docker.network.driver.mtu": "1500"
        }
      })
    )
  }

  /** Lists networks by the beginning of their names, because the engine's own filter matches any part of a name. */
  async namesOfNetworks(prefix: string): Promise<ReadonlyArray<string>> {
    const found = await called(this.docker.listNetworks({ filters: { name: [prefix] } }))
    return found.map(({ Name }) => Name).filter((name) => name.startsWith(prefix))
  }

  /** Removes the network. Containers on it keep running without a network. */
  async removeNetwork(name: string): Promise<void> {
    const network = this.docker.getNetwork(name)
    const found = await orMissing(network.inspect())
    if (found === null) return
    for (const Container of Object.keys(found.Containers ?? {}))
      await orMissing(network.disconnect({ Container, Force: true }))
    await orMissing(network.remove())
  }
}
