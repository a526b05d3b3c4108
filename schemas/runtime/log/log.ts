/**
 * The log of a node: JSON lines (line.ts). Effects write by `Effect.logWarning` and similar functions, with `at` among
 * their annotations. Callbacks that are not Effects write by `logNow`.
 *
 * A node that is alone in its process writes to standard error (`processLog`). If several nodes run in one process,
 * each is started by `Log.run`, and the lines of its asynchronous context go to its own log.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { Cause, type Clock, type Layer, Logger, type LogLevel, References } from "effect"
import { machineClock, wallMs } from "../clock.ts"
import type { Span } from "../trace/span.ts"
import { type Level, lineOf } from "./line.ts"
import { Repeats } from "./repeats.ts"
import { Sink, type SinkStream } from "./sink.ts"

type Plain = string | number | boolean | null | undefined

export type Fields = Readonly<Record<string, unknown>> & {
  /** Written as text. An error of the service itself is written with its stack. */
  readonly error?: unknown
  readonly message?: Plain
  /** The span in which the line is written. */
  readonly span?: Span | null | undefined
}

const FAILURE = 1
/** The `at` of Effects that do not name one. */
const DEFAULT_AT = "process"

/** A fault of the service itself is written with its stack. A warning is about something outside and needs none. */
const stackOf = (level: Level, error: unknown): unknown =>
  isError(error) && (level === "error" || level === "fatal") ? error : undefined

const isError = (value: unknown): boolean => value instanceof Error

const current = new AsyncLocalStorage<Log>()

export class Log {
  readonly #clock: Clock.Clock
  readonly #repeats: Repeats
  readonly #lines: Sink

  constructor(stream: SinkStream, clock: Clock.Clock) {
    this.#clock = clock
    this.#repeats = new Repeats(clock)
    this.#lines = new Sink(stream, (lines) => this.lost("stderr", lines))
  }

  /**
   * Writes a line about a part of the service, which `at` names. If a part writes too many lines, the rest is only
   * counted (repeats.ts).
   */
  write(level: Level, at: string, unixMs: number, fields: Readonly<Record<string, unknown>>): void {
    const suppressed = (lines: number): void =>
      this.#lines.write(
        lineOf(level, at, wallMs(this.#clock), { suppressed: lines, message: "as many lines more were not written" })
      )
    if (level === "fatal" || this.#repeats.admits(`${level} ${at}`, suppressed))
      this.#lines.write(lineOf(level, at, unixMs, fields))
  }

  /** Like `write`, with the present time of this log's clock. */
  writeNow(level: Level, at: string, fields: Readonly<Record<string, unknown>>): void {
    this.write(level, at, wallMs(this.#clock), fields)
  }

  lost(stream: string, lines: number): void {
    this.writeNow("warn", "log", { stream, lost: lines, message: "lines found no reader and were dropped" })
  }

  /** Calls the function. Everything that it starts uses this log for `logNow`. */
  run<A>(begin: () => A): A {
    return current.run(this, begin)
  }

  /** The logger of Effects. It replaces Effect's own. */
  readonly logging: Layer.Layer<never> = Logger.layer([
    Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
      const { at, ...annotations } = fiber.getRef(References.CurrentLogAnnotations)
      const level = LEVELS[logLevel]
      const fields = { ...annotations, ...messageAndError(Array.isArray(message) ? message : [message], cause) }
      const place = typeof at === "string" ? at : DEFAULT_AT
      this.write(level, place, date.getTime(), { ...fields, stack: stackOf(level, fields.error) })
    })
  ])
}

/** `at` names the part of the service. */
export const logNow = (level: Level, at: string, { span, ...fields }: Fields): void =>
  (current.getStore() ?? processLog).writeNow(level, at, {
    trace_id: span?.traceId,
    ...fields,
    stack: stackOf(level, fields.error)
  })

const LEVELS: Readonly<Record<LogLevel.LogLevel, Level>> = {
  All: "trace",
  Trace: "trace",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "fatal",
  None: "fatal"
}

/** Texts become the message. The cause, or another value, becomes the error. */
const messageAndError = (parts: ReadonlyArray<unknown>, cause: Cause.Cause<unknown>) => {
  const texts = parts.filter((part) => typeof part === "string")
  const others = parts.filter((part) => typeof part !== "string")
  const error = others.length > 1 ? others : others[0]
  return {
    ...(texts.length > 0 ? { message: texts.join(" ") } : {}),
    ...(cause.reasons.length > 0 ? { error: Cause.squash(cause) } : error === undefined ? {} : { error })
  }
}

/** The log of this process, on standard error. */
export const processLog = new Log(process.stderr, machineClock)

/** Standard output with the same bounds. Edges write their request log to it. */
export const standardOutput = new Sink(process.stdout, (lines) => processLog.lost("stdout", lines))

export const logCrash = (error: unknown): void => logNow("fatal", "process", { error })

export const logUncaught = (): void =>
  void process.once("uncaughtException", (error) => {
    logCrash(error)
    process.exit(FAILURE)
  })
