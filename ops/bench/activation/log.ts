/**
 * Makes a log of a chosen size for measurements: many short-lived actors, and a few whose commits are spread over the
 * log.
 */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import type { ActorDefinition } from "../../../actors/engine/definition.ts"
import type { Commit } from "../../../actors/log/commit.ts"
import { subjects } from "../../../schemas/subjects.ts"

/** The average size of the service's own commits. */
const COMMIT_BYTES = 640
/** The server adds subject, sequence, time and checksum to each commit. */
const STORED_BESIDE = 60
/** The number of commits of a short-lived actor. They follow each other directly. */
const SHORT = 3
/** The server refuses more than 10,000 unacknowledged messages. */
const UNACKNOWLEDGED_MAX = 4000
const ACK_TIMEOUT_MS = 60_000

export const KIND = "bench"
export const SHORT_KIND = "bench_short"

/** An actor whose state is the number of its commits. */
export const counting: ActorDefinition = {
  kind: KIND,
  initial: 0,
  events: { "bench.written": 1 },
  evolve: (state) => Number(state) + 1,
  operations: {}
}

/**
 * Actors with the same number of commits, `length`. The commits of each are spread evenly from the log's beginning to a
 * place that differs by actor.
 */
export interface Spread {
  readonly length: number
  readonly ids: ReadonlyArray<string>
}

export const spread = (length: number, count: number): Spread => ({
  length,
  ids: Array.from({ length: count }, (_, index) => `of${length}x${index}`)
})

export interface MadeLog {
  readonly commits: number
  readonly seconds: number
  /** For each id, the sequences of the actor's commits. */
  readonly seqs: ReadonlyMap<string, ReadonlyArray<number>>
}

const utf8 = new TextEncoder()
const FILLING = "x".repeat(COMMIT_BYTES)

const commitOf = (number: number): Uint8Array => {
  const commit: Commit = {
    v: 1,
    id: `c${number}`,
    op: "bench.write",
    at: Date.now(),
    events: [{ type: "bench.written", v: 1 }]
  }
  const text = JSON.stringify(commit)
  return utf8.encode(`${text.slice(0, -1)},"trace":"${FILLING.slice(text.length + 10)}"}`)
}

/** The commits of the actors of one length end between these shares of the log. */
const IDLE_FROM = [0.3, 0.9] as const

/** For each position of the log, the actors that have commits there. */
const places = (total: number, spreads: ReadonlyArray<Spread>): ReadonlyMap<number, ReadonlyArray<string>> => {
  const at = new Map<number, Array<string>>()
  for (const { length, ids } of spreads)
    for (const [index, id] of ids.entries()) {
      const end = IDLE_FROM[0] + ((index + 0.5) / ids.length) * (IDLE_FROM[1] - IDLE_FROM[0])
      for (let commit = 1; commit <= length; commit++) {
        const place = Math.floor((commit / length) * end * total)
        at.set(place, [...(at.get(place) ?? []), id])
      }
    }
  return at
}

/** Writes about `bytes` of commits into an empty stream. There must be no other writer. */
export const makeLog = async (
  nats: NatsConnection,
  bytes: number,
  spreads: ReadonlyArray<Spread>
): Promise<MadeLog> => {
  const began = performance.now()
  const total = Math.floor(bytes / (COMMIT_BYTES + STORED_BESIDE))
  const at = places(total, spreads)
  const seqs = new Map<string, Array<number>>()
  let seq = 0
  const put = async (subject: string, expected?: number): Promise<void> => {
    seq++
    const more = headers()
    if (expected !== undefined) more.set("Nats-Expected-Last-Subject-Sequence", String(expected))
    const options = expected === undefined ? {} : { headers: more }
    if (seq % UNACKNOWLEDGED_MAX !== 0) return nats.publish(subject, commitOf(seq), options)
    const reply = await nats.request(subject, commitOf(seq), { timeout: ACK_TIMEOUT_MS, ...options })
    const stored = reply.json<{ seq?: number }>().seq
    if (stored !== seq) throw new Error(`the log stands at ${stored}, not at ${seq}`)
  }
  for (let place = 0; place < total; place++) {
    await put(subjects.event(SHORT_KIND, String(Math.floor(place / SHORT))))
    for (const id of at.get(place) ?? []) {
      const known = seqs.get(id) ?? []
      seqs.set(id, known)
      await put(subjects.event(KIND, id), known.at(-1) ?? 0)
      known.push(seq)
    }
  }
  await nats.flush()
  return { commits: seq, seconds: (performance.now() - began) / 1000, seqs }
}
