/**
 * The log of a process: JSON lines on standard error (line.ts), however they were written. Effects write by
 * `Effect.logWarning` and its like, with `at` among their annotations; callbacks that are no Effects by `logNow`.
 */
import { Cause, type Layer, Logger, type LogLevel, References } from "effect"
import type { Span } from "../trace/span.ts"
import { type Level, lineOf } from "./line.ts"
import { Repeats } from "./repeats.ts"
import { Sink } from "./sink.ts"

type Plain = string | number | boolean | null | undefined

export type Fields = Readonly<Record<string, unknown>> & {
  /** Told as text; an error of the service itself with its stack. */
  readonly error?: unknown
  readonly message?: Plain
  /** Where what is told is traced. */
  readonly span?: Span | null | undefined
}

const FAILURE = 1
/** Of Effects that do not say where they are. */
const SOMEWHERE = "process"

const repeats = new Repeats()

const lostOf =
  (stream: string) =>
  (lines: number): void =>
    write("warn", "log", Date.now(), { stream, lost: lines, message: "lines found no reader and were dropped" })

const errors = new Sink(process.stderr, lostOf("stderr"))

/** Standard output, under the same rules: for what a process tells of its work and not of itself. */
export const standardOutput = new Sink(process.stdout, lostOf("stdout"))

const write = (level: Level, at: string, unixMs: number, fields: Readonly<Record<string, unknown>>): void => {
  const suppressed = (lines: number): void =>
    errors.write(lineOf(level, at, Date.now(), { suppressed: lines, message: "as many lines more were not written" }))
  if (level === "fatal" || repeats.admits(`${level} ${at}`, suppressed)) errors.write(lineOf(level, at, unixMs, fields))
}

/** The service's own fault is told with where it happened; a warning is about others. */
const stackOf = (level: Level, error: unknown): unknown =>
  isError(error) && (level === "error" || level === "fatal") ? error : undefined

const isError = (value: unknown): boolean => value instanceof Error

/** `at`: the part of the service, a word of the code. */
export const logNow = (level: Level, at: string, { span, ...fields }: Fields): void =>
  write(level, at, Date.now(), { trace_id: span?.traceId, ...fields, stack: stackOf(level, fields.error) })

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

/** Texts are the message; the cause, or whatever else there is, is the error. */
const saidIn = (parts: ReadonlyArray<unknown>, cause: Cause.Cause<unknown>) => {
  const texts = parts.filter((part) => typeof part === "string")
  const others = parts.filter((part) => typeof part !== "string")
  const error = others.length > 1 ? others : others[0]
  return {
    ...(texts.length > 0 ? { message: texts.join(" ") } : {}),
    ...(cause.reasons.length > 0 ? { error: Cause.squash(cause) } : error === undefined ? {} : { error })
  }
}

const processLogger = Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
  const { at, ...annotations } = fiber.getRef(References.CurrentLogAnnotations)
  const level = LEVELS[logLevel]
  const fields = { ...annotations, ...saidIn(Array.isArray(message) ? message : [message], cause) }
  const place = typeof at === "string" ? at : SOMEWHERE
  write(level, place, date.getTime(), { ...fields, stack: stackOf(level, fields.error) })
})

/** The process's logger, instead of Effect's own. */
export const logging: Layer.Layer<never> = Logger.layer([processLogger])

/** What nobody caught ends the process as before, in a line of its log. */
export const logCrash = (error: unknown): void => logNow("fatal", "process", { error })

export const logUncaught = (): void =>
  void process.once("uncaughtException", (error) => {
    logCrash(error)
    process.exit(FAILURE)
  })
