/**
 * `hub tail`: commits as they come, a line each. Follows the log for as long as it is let, over restarts of the bus;
 * what is shown is masked. Lines go out as fast as whoever reads them takes them: writing to a pipe waits.
 */
import { setTimeout as delay } from "node:timers/promises"
import { Effect, Stream } from "effect"
import { isGuarding } from "../../actors/log/archive/mark.ts"
import { attempt } from "../../actors/log/attempt.ts"
import { followStream, type Start } from "../../actors/log/follow.ts"
import type { Commit } from "../../actors/log/commit.ts"
import { listeningOnLine } from "../../actors/log/renewal.ts"
import { archivedPages, type Stored } from "../../actors/log/stream-pages.ts"
import { traceIdOf } from "../../actors/log/traceparent.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { isBeyond, kindOf, type Point } from "../replay/fold.ts"
import { Masker } from "../replay/masks.ts"
import { POINT_FORMS, pointOf } from "../replay/points.ts"
import { timeText } from "../replay/report.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { remark, say } from "./output.ts"
import { hubIdOfReference, idOfReference } from "./references.ts"

export const tailCommand: Command = {
  usage: [
    "tail [--since <point>] [--until <point>] [--json]",
    "tail <kind|ref> [--since <point>] [--until <point>] [--json]",
    "tail <kind> <ref> [--since <point>] [--until <point>] [--json]"
  ],
  run: async (service, { positionals: [what, reference], values }) => {
    const filter = await filterOf(service, what, reference)
    const start = await startOf(service, values.since)
    const until = values.until === undefined ? null : endOf(values.until)
    const show = values.json === true ? jsonLine : textLine
    await untilInterrupted((signal) => followed(service, { start, until, filter, show }, signal))
  }
}

/** A pattern of subjects: everything, one kind, or one actor. */
const filterOf = async (service: Service, what: string | undefined, reference: string | undefined): Promise<string> => {
  if (what === undefined) return subjects.events
  const kind = kindOf(what)
  if (kind === undefined) {
    if (reference !== undefined) throw new Fault(`there is no kind ${what}`)
    return subjects.event("agent", await hubIdOfReference(service, what))
  }
  return reference === undefined
    ? subjects.event(what, ">")
    : subjects.event(what, await idOfReference(service, what, reference))
}

const startOf = async (service: Service, since: string | undefined): Promise<Start> => {
  if (since === undefined) return (await service.manager.streams.info(streams.events)).state.last_seq + 1
  const point = pointOf(since)
  if (point === null) throw new Fault(`--since takes ${POINT_FORMS}`)
  return "seq" in point ? Math.max(1, point.seq) : { time: point.time }
}

const endOf = (until: string): Point => {
  const point = pointOf(until)
  if (point === null) throw new Fault(`--until takes ${POINT_FORMS}`)
  return point
}

const LOOK_MS = 500
const PAGE = 1000

interface Followed {
  readonly start: Start
  /** Included; `null`: it goes on. */
  readonly until: Point | null
  readonly filter: string
  readonly show: Line
}

/** Resolves when the stream has come to the point, and all before it is shown. */
const cameTo = async ({ manager }: Service, until: Point, shown: () => Promise<boolean>, signal: AbortSignal) => {
  while (!signal.aborted) {
    // While the bus is away nothing is told.
    const last = await manager.streams
      .info(streams.events)
      .then(({ state }) => state.last_seq)
      .catch(() => 0)
    const isThere = "seq" in until ? last >= until.seq : Date.now() >= until.time
    if (isThere && (await shown().catch(() => false))) return
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** A message of the log, or of its archive. */
interface Told extends Stored {
  readonly traceId: string | null
}

type Line = (message: Told, commit: Commit) => string

const followed = async (
  service: Service,
  { start, until, filter, show }: Followed,
  signal: AbortSignal
): Promise<void> => {
  const { nats } = service
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  // The reader of the lines has gone.
  process.stdout.on("error", end)
  signal.addEventListener("abort", end)
  void nats.closed().then(end)
  const following = Effect.gen(function* () {
    yield* listeningOnLine(nats, (change) =>
      remark(change === "lost" ? "the bus is gone; waiting for it\n" : "the bus is back\n")
    )
    let isOver = false
    const shown = (message: Told): void => {
      const commit = isGuarding(message.subject) ? null : commitOf(message)
      if (commit === null) return
      isOver ||= isBeyond({ seq: message.seq, commit }, until)
      if (isOver) return end()
      say(`${show(message, commit)}\n`)
    }
    const hot = yield* archived(service, start, filter, shown, () => isOver || signal.aborted)
    const { pending } = yield* followStream(
      nats,
      streams.events,
      hot,
      ({ seq, subject, data, headers }) => shown({ seq, subject, data, traceId: traceIdOf(headers) }),
      filter
    )
    const looking = new AbortController()
    const either = AbortSignal.any([signal, looking.signal])
    const done = until === null ? [] : [cameTo(service, until, async () => (await pending()) === 0, either)]
    if (!signal.aborted) yield* Effect.promise(() => Promise.race([ended, ...done]))
    looking.abort()
  })
  await Effect.runPromise(Effect.scoped(following))
  process.stdout.off("error", end)
  if (nats.isClosed()) throw new Fault("the bus did not come back")
}

/** Shows the archived part, up to the place where the log's part begins. */
const archived = (
  { archive }: Service,
  start: Start,
  filter: string,
  shown: (message: Told) => void,
  isOver: () => boolean
): Effect.Effect<Start, unknown> =>
  Effect.gen(function* () {
    if (archive === undefined || typeof start === "string") return start
    const from = typeof start === "number" ? start : (yield* attempt(() => archive.lastBy(start.time))) + 1
    if (from > archive.through) return start
    let next = from
    yield* Stream.runForEachWhile(archivedPages(archive, from - 1, PAGE, filter), ({ page, reached }) =>
      Effect.sync(() => {
        for (const { seq, subject, data } of page) shown({ seq, subject, data, traceId: null })
        next = reached + 1
        return !isOver()
      })
    )
    return next
  })

/** `null` for what is no commit: a line must not end the tail. */
const commitOf = (message: Told): Commit | null => {
  try {
    return new Masker().mask<Commit>(JSON.parse(text.decode(message.data)))
  } catch {
    remark(`#${message.seq} ${message.subject}: no commit\n`)
    return null
  }
}

const text = new TextDecoder()

const actorOf = (message: Told): { readonly kind: string; readonly id: string } => {
  const [, , kind = "", ...id] = message.subject.split(".")
  return { kind, id: id.join(".") }
}

const textLine: Line = (message, commit) => {
  const { kind, id } = actorOf(message)
  const trace = commit.trace === undefined ? "" : `  trace ${commit.trace}`
  const { traceId } = message
  const events = commit.events.map((event) => event.type).join(" ")
  return (
    `#${message.seq}  ${timeText(commit.at)}  ${kind}/${id}  ${commit.op}  ${events}${trace}` +
    (traceId === null ? "" : `  trace_id ${traceId}`)
  )
}

const jsonLine: Line = (message, commit) => {
  const { traceId } = message
  return JSON.stringify({
    seq: message.seq,
    ...actorOf(message),
    commit,
    ...(traceId === null ? {} : { trace_id: traceId })
  })
}
