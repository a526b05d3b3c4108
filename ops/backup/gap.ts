/**
 * The numbers that a restored log and its counters skip, so that numbers which were given out after the backup are not
 * given out again.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import { headers, type NatsConnection, nuid } from "@nats-io/transport-node"
import type { Commit } from "../../actors/log/commit.ts"
import { RESTORE_RECORD } from "../../actors/log/last-restore.ts"
import { COUNTERS, streams, subjects } from "../../schemas/subjects.ts"
import { Fault } from "../cli/fault.ts"

const BATCH = 1000
const TIMEOUT_MS = 60_000

/**
 * Advances the log's sequence by writing messages and erasing all of them but the last. The last one is the record of
 * the restore, which is written even if `count` is 0. Secrets from before this record are no longer valid
 * (actors/log/last-restore.ts). Resolves to the log's last sequence.
 */
export const skipSequences = async (
  nats: NatsConnection,
  manager: JetStreamManager,
  last: number,
  count: number
): Promise<number> => {
  const subject = subjects.event(RESTORE_RECORD.kind, RESTORE_RECORD.id)
  const record: Commit = { v: 1, id: nuid.next(), op: "hub.restore", at: Date.now(), events: [] }
  let seq = last
  for (let left = Math.max(1, count); left > 0; left -= BATCH)
    seq = await fillBatch(nats, subject, Math.min(left, BATCH), left <= BATCH ? JSON.stringify(record) : undefined)
  await manager.streams.purge(streams.events, { filter: subject, keep: 1 })
  return seq
}

const fillBatch = async (
  nats: NatsConnection,
  subject: string,
  size: number,
  end: string | undefined
): Promise<number> => {
  const id = nuid.next()
  const place = (index: number) => {
    const more = headers()
    more.set("Nats-Batch-Id", id)
    more.set("Nats-Batch-Sequence", String(index))
    return more
  }
  for (let index = 1; index < size; index++) nats.publish(subject, undefined, { headers: place(index) })
  const last = place(size)
  last.set("Nats-Batch-Commit", "1")
  const { seq, error } = (await nats.request(subject, end, { headers: last, timeout: TIMEOUT_MS })).json<{
    seq?: number
    error?: { description?: string }
  }>()
  if (seq === undefined)
    throw new Fault(`${streams.events} took no gap: ${error?.description ?? "no answer that makes sense"}`)
  return seq
}

/** Advances all counters, including those that have not given any number yet. */
export const skipNumbers = async (nats: NatsConnection, manager: JetStreamManager, gap: number): Promise<void> => {
  if (gap === 0) return
  const { state } = await manager.streams.info(streams.counters, { subjects_filter: ">" })
  const more = headers()
  more.set("Nats-Incr", String(gap))
  for (const counter of new Set([...COUNTERS.map(subjects.counter), ...Object.keys(state.subjects ?? {})])) {
    const { val } = (await nats.request(counter, undefined, { headers: more, timeout: TIMEOUT_MS })).json<{
      val?: string
    }>()
    if (val === undefined) throw new Fault(`${counter} took no gap`)
  }
}
