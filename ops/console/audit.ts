/**
 * Records the histories and stories that an operator opens, and each action that is no command of an actor: who, when
 * and what, and for an action why. The lines are in a separate stream, which the service's nodes cannot write to.
 * Nobody can delete single lines, and the oldest are dropped when the stream is full.
 *
 * Invariants
 *  - The line is written before anything is shown or done. If it cannot be written, nothing is shown or done.
 *  - If the same operator opens the same thing again within `AGAIN_MS`, there is no second line.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Option, Schema, Stream } from "effect"
import { requestStream } from "../../actors/log/requests.ts"
import { pagesOf } from "../../actors/log/stream-pages.ts"
import { storedAs } from "../../actors/reactions/marks.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"
import { Fault } from "../cli/fault.ts"
import type { Operator } from "./page.ts"
import type { ConsoleParts } from "./parts.ts"

const TIMEOUT_MS = 3000
const AGAIN_MS = 600_000
const REMEMBERED_MAX = 1024
const PAGE = 1000

const Opened = Schema.Struct({
  /** Unix ms. */
  at: Schema.Number,
  who: Schema.String,
  by: Schema.Literals(["account", "link"]),
  what: Schema.Literals(["history", "what-if", "export", "test", "story", "drain", "rebuild", "verify"]),
  /** The subject, such as `agent/hx…`, an explained id, or the target of an action. */
  of: Schema.String,
  /** The operator's reason; only actions have one. */
  why: Schema.optionalKey(Schema.String)
})
export type Opened = typeof Opened.Type
const readOpened = Schema.decodeUnknownOption(Schema.fromJsonString(Opened))

/** For each line, the time when it was last written, in Unix ms. */
const known = new WeakMap<Service, Map<string, number>>()

const linesOf = (service: Service): Map<string, number> => {
  const found = known.get(service) ?? new Map<string, number>()
  known.set(service, found)
  return found
}

/** Throws a Fault if the line cannot be written. */
export const noteOpened = async (
  { service, clock }: ConsoleParts,
  { name, by }: Operator,
  what: Opened["what"],
  of: string
): Promise<void> => {
  const at = wallMs(clock)
  const lines = linesOf(service)
  const line = JSON.stringify([name, by, what, of])
  if ((lines.get(line) ?? Number.NEGATIVE_INFINITY) > at - AGAIN_MS) return
  const opened: Opened = { at, who: name, by, what, of }
  await written(service.nats, opened)
  lines.delete(line)
  const [oldest] = lines.keys()
  if (lines.size >= REMEMBERED_MAX && oldest !== undefined) lines.delete(oldest)
  lines.set(line, at)
}

/** Records an action without a commit, before it is done. Throws a Fault if the line cannot be written. */
export const noteActed = (
  { service, clock }: ConsoleParts,
  { name, by }: Operator,
  what: "drain" | "rebuild" | "verify",
  of: string,
  why: string
): Promise<void> => written(service.nats, { at: wallMs(clock), who: name, by, what, of, why })

const written = async (nats: NatsConnection, opened: Opened): Promise<void> => {
  try {
    const reply = await requestStream(nats, subjects.audit, JSON.stringify(opened), { timeout: TIMEOUT_MS })
    storedAs(streams.audit, reply.json())
  } catch (error) {
    throw new Fault(
      `Nothing is shown or done, because the audit stream did not take a line: ${error instanceof Error ? error.message : String(error)}. ` +
        `If there is no stream ${streams.audit}, run hub migrate.`
    )
  }
}

/** The newest lines, the oldest first. */
export const openedLast = async ({ nats, manager }: Service, count: number): Promise<ReadonlyArray<Opened>> => {
  const { state } = await manager.streams.info(streams.audit)
  const pages = pagesOf(nats, streams.audit, Math.max(state.first_seq - 1, state.last_seq - count), PAGE)
  const read = await Effect.runPromise(Stream.runCollect(pages))
  return read.flat().flatMap(({ data }) => Option.toArray(readOpened(new TextDecoder().decode(data))))
}
