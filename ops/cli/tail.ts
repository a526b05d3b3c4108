/**
 * `hub tail`: prints new commits, one line each, with secrets masked. It follows the log until it is stopped or reaches
 * `--until`, over restarts of the bus.
 */
import { setTimeout as delay } from "node:timers/promises"
import { Effect } from "effect"
import type { Commit } from "../../actors/log/commit.ts"
import { LogReading, type ReadCommit } from "../../actors/log/log-reading.ts"
import { listeningOnLine } from "../../actors/log/renewal.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { isBeyond, kindOf, type Point } from "../replay/fold.ts"
import { Masker } from "../replay/masks.ts"
import { POINT_FORMS, pointOf } from "../replay/points.ts"
import { placeOf } from "../replay/place.ts"
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

/** Returns a pattern of subjects: all of them, those of one kind, or those of one actor. */
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

/** The first sequence to print. */
const startOf = async (service: Service, since: string | undefined): Promise<number> => {
  const { state } = await service.manager.streams.info(streams.events)
  if (since === undefined) return state.last_seq + 1
  const point = pointOf(since)
  if (point === null) throw new Fault(`--since takes ${POINT_FORMS}`)
  return "seq" in point ? Math.max(1, point.seq) : (await placeOf(service, { time: point.time - 1 }, state)) + 1
}

const endOf = (until: string): Point => {
  const point = pointOf(until)
  if (point === null) throw new Fault(`--until takes ${POINT_FORMS}`)
  return point
}

const LOOK_MS = 500
const PAGE = 1000

interface Followed {
  readonly start: number
  /** The last point to print, included. `null` to go on without end. */
  readonly until: Point | null
  readonly filter: string
  readonly show: Line
}

/** Resolves when the stream has reached the point and everything before it is printed. */
const cameTo = async ({ manager }: Service, until: Point, shown: () => Promise<boolean>, signal: AbortSignal) => {
  while (!signal.aborted) {
    // An unreachable bus counts as 0, so the loop goes on.
    const last = await manager.streams
      .info(streams.events)
      .then(({ state }) => state.last_seq)
      .catch(() => 0)
    const isThere = "seq" in until ? last >= until.seq : Date.now() >= until.time
    if (isThere && (await shown().catch(() => false))) return
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
}

type Line = (message: ReadCommit, commit: Commit) => string

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
  // The reader has closed the output.
  process.stdout.on("error", end)
  signal.addEventListener("abort", end)
  void nats.closed().then(end)
  const following = Effect.gen(function* () {
    yield* listeningOnLine(nats, (change) =>
      remark(change === "lost" ? "the bus is gone; waiting for it\n" : "the bus is back\n")
    )
    let isOver = false
    const shown = (message: ReadCommit): void => {
      const commit = commitOf(message)
      if (commit === null) return
      isOver ||= isBeyond({ seq: message.seq, commit }, until)
      if (isOver) return end()
      say(`${show(message, commit)}\n`)
    }
    const reading = new LogReading(nats, service.archive, start, shown, { filter, archivedPage: PAGE })
    const looking = new AbortController()
    const either = AbortSignal.any([signal, looking.signal])
    const done = until === null ? [] : [cameTo(service, until, async () => (await reading.pending()) === 0, either)]
    const over = Effect.promise(() => Promise.race([ended, ...done]))
    const read = Effect.catch(reading.run, (error) =>
      Effect.die(new Fault(`the log cannot be read behind #${reading.reached}: ${causeOf(error)}`))
    )
    if (!signal.aborted) yield* Effect.raceFirst(read, over)
    looking.abort()
  })
  await Effect.runPromise(Effect.scoped(following))
  process.stdout.off("error", end)
  if (nats.isClosed()) throw new Fault("the bus did not come back")
}

const causeOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** `null` if the message is not a commit. A faulty message must not end the tail. */
const commitOf = (message: ReadCommit): Commit | null => {
  try {
    return new Masker().mask<Commit>(JSON.parse(text.decode(message.data)))
  } catch {
    remark(`#${message.seq} ${message.subject}: no commit\n`)
    return null
  }
}

const text = new TextDecoder()

const actorOf = (message: ReadCommit): { readonly kind: string; readonly id: string } => {
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
