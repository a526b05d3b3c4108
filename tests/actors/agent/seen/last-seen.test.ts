/** When an agent was last seen, as one node answers it over a connection whose stream the test plays. */
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { expect, test } from "vitest"
import { LastSeen } from "../../../../actors/agent/seen/last-seen.ts"
import { subjects } from "../../../../schemas/subjects.ts"

const ID = `hx${"a".repeat(24)}`
const CREATED = 1_800_000_000_000
const MINUTE = 60_000

/** `answer` answers the oldest read that waits: with the time in the stream, or that there is none. */
const playedStream = () => {
  const reads: Array<string> = []
  const written: Array<number> = []
  let receive: (error: Error | null, message: Msg) => void = () => undefined
  const nats = {
    publish: (subject: string, payload: string, options?: { readonly reply?: string }) => {
      if (subject === subjects.seen(ID)) written.push((JSON.parse(payload) as { at: number }).at)
      else reads.push(options?.reply ?? "")
    },
    subscribe: (_subject: string, { callback }: { readonly callback: typeof receive }) => void (receive = callback),
    status: async function* () {}
  } as unknown as NatsConnection
  const answer = (at: number | null): void => {
    const headers = at === null ? { code: 404 } : undefined
    receive(null, { subject: reads.shift() ?? "", headers, json: () => ({ agent: ID, at }) } as unknown as Msg)
  }
  return { seen: new LastSeen(nats), reads, written, answer }
}

test("what another node has recorded meanwhile is read after a minute, and an active agent's time is not read", async () => {
  const { seen, reads, answer } = playedStream()
  const first = CREATED + 10 * MINUTE
  seen.touch(ID, first)
  expect(await seen.of(ID, CREATED, first + MINUTE - 1)).toBe(first)
  expect(reads).toEqual([])
  const elsewhere = first + 5 * MINUTE
  const now = first + 20 * MINUTE
  const read = seen.of(ID, CREATED, now)
  answer(elsewhere)
  expect(await read).toBe(elsewhere)
  expect(await seen.of(ID, CREATED, now + MINUTE - 1)).toBe(elsewhere)
  expect(reads).toEqual([])
})

test("a request that arrives while the stream is read counts", async () => {
  const { seen, answer } = playedStream()
  const now = CREATED + 10 * MINUTE
  const read = seen.of(ID, CREATED, now)
  seen.touch(ID, now + 1)
  answer(CREATED + MINUTE)
  expect(await read).toBe(now + 1)
  expect(await seen.of(ID, CREATED, now + 2)).toBe(now + 1)
})

test("the first request is recorded, though a profile was looked at before it", async () => {
  const { seen, written, answer } = playedStream()
  const read = seen.of(ID, CREATED, CREATED + 1)
  answer(null)
  expect(await read).toBe(CREATED)
  expect(seen.touch(ID, CREATED + 2)).toBe(CREATED + 2)
  expect(written).toEqual([CREATED + 2])
})

test("a known time stays where the stream has lost it", async () => {
  const { seen, answer } = playedStream()
  seen.touch(ID, CREATED + MINUTE)
  const read = seen.of(ID, CREATED, CREATED + 10 * MINUTE)
  answer(null)
  expect(await read).toBe(CREATED + MINUTE)
})
