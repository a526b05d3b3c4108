/**
 * A restore ends the fill services of every vault, since tokens that were used after the backup would be valid again.
 * It also stops card fills until the end of the day (UTC), since payments after the backup are unknown. The operator may
 * allow card fills at once.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import { type NatsConnection, nuid } from "@nats-io/transport-node"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { Fault } from "../cli/fault.ts"

const BATCH = 1000
const DAY_MS = 86_400_000

/** `cards`: they are filled at once. Resolves to the number of vaults. */
export const tellVaults = async (
  nats: NatsConnection,
  manager: JetStreamManager,
  { at, cards }: { readonly at: number; readonly cards: boolean }
): Promise<number> => {
  const log = new JetStreamLog(machineClock, nats, { batchMax: BATCH, queueMax: BATCH })
  const { state } = await manager.streams.info(streams.events, { subjects_filter: subjects.eventsOf("vault") })
  const vaults = Object.keys(state.subjects ?? {})
  const events = [{ type: "vault.restored", v: 1, cards_from: cards ? null : at - (at % DAY_MS) + DAY_MS }]
  for (let from = 0; from < vaults.length; from += BATCH) {
    const told = vaults.slice(from, from + BATCH).map(async (subject) => {
      const commit = { v: 1 as const, id: nuid.next(), op: "hub.restore", at, events }
      const result = await log.append([{ subject, expected: await log.lastSeq(subject), commit }])
      if (!result.ok) throw new Fault(`${streams.events} took nothing for a vault: ${result.reason}`)
    })
    await Promise.all(told)
  }
  return vaults.length
}
