/** Draws numbers that are never used twice (spec 2.1), by JetStream counters. There may be gaps, but no repetitions. */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { streams, subjects } from "../../schemas/subjects.ts"
import { Gathered } from "./gathered.ts"
import { lastMessage } from "./last-message.ts"
import { requestStream } from "./requests.ts"

const TIMEOUT_MS = 3000

/** The server flushes each draw to disk, so draws that arrive within a moment are made as one. */
const DRAWS = { together: 1000, waiting: 20_000, gapMs: 5 }

const draws = new WeakMap<NatsConnection, Map<string, Gathered<null, number>>>()

export const nextNumber = (nats: NatsConnection, name: string): Promise<number> => {
  const ofConnection = draws.get(nats) ?? new Map<string, Gathered<null, number>>()
  draws.set(nats, ofConnection)
  const drawing = ofConnection.get(name) ?? new Gathered(DRAWS, (asked) => drawn(nats, name, asked.length))
  ofConnection.set(name, drawing)
  return drawing.do(null)
}

const drawn = async (nats: NatsConnection, name: string, count: number): Promise<() => number> => {
  let number = (await countUp(nats, name, count)) - count
  return () => ++number
}

const text = new TextDecoder()

/** The last number that was drawn; 0 if there is none. */
export const lastNumber = async (nats: NatsConnection, name: string): Promise<number> => {
  const last = await lastMessage(nats, streams.counters, subjects.counter(name), TIMEOUT_MS)
  return last === null ? 0 : Number((JSON.parse(text.decode(last.data)) as { readonly val: string }).val)
}

/** Resolves to the counter's new value. */
export const countUp = async (nats: NatsConnection, name: string, by: number): Promise<number> => {
  const more = headers()
  more.set("Nats-Incr", String(by))
  const reply = await requestStream(nats, subjects.counter(name), undefined, { headers: more, timeout: TIMEOUT_MS })
  const ack = reply.json<{ val?: string; error?: { description?: string } }>()
  if (ack.val === undefined)
    throw new Error(`The counter ${name} gave no number: ${ack.error?.description ?? "unknown error"}`)
  return Number(ack.val)
}
