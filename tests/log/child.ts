/** A process that logs what it is told to, until its starter lets go of it. */
import { Effect, References } from "effect"
import { logNow, logUncaught, processLog } from "../../schemas/runtime/log/log.ts"

const LEVELS = ["Trace", "Debug", "Info", "Warn", "Error", "Fatal"] as const

const circular: Record<string, unknown> = { name: "round" }
circular["self"] = circular

const throwing = {
  toJSON: () => {
    throw new Error("not to be looked at")
  }
}

class Unspeakable extends Error {
  override get stack(): string {
    throw new Error("no stack")
  }
  override toString(): string {
    throw new Error("no text")
  }
}

const acts: Readonly<Record<string, (times: number) => Effect.Effect<unknown>>> = {
  levels: () =>
    Effect.forEach(LEVELS, (level) => Effect.logWithLevel(level)(`in ${level}`, new TypeError("wrong"))).pipe(
      Effect.annotateLogs({ at: "levels", shard: 3, trace_id: "0af7651916cd43dd8448eb211c80319c" }),
      Effect.provideService(References.MinimumLogLevel, "Trace")
    ),
  callbacks: () =>
    Effect.sync(() => {
      for (const level of LEVELS)
        logNow(level.toLowerCase() as Lowercase<typeof level>, "callbacks", { error: new TypeError("wrong") })
    }),
  cause: () =>
    Effect.fail("refused").pipe(
      Effect.catchCause((cause) => Effect.logError("it failed", cause)),
      Effect.annotateLogs({ at: "cause" })
    ),
  hostile: () =>
    Effect.sync(() => {
      logNow("warn", "hostile", {
        text: 'a\nb\r\u0000\u001b[31m\u009b\u2028\u202e\ud800"}\n{"level":"forged"}',
        circular,
        throwing,
        number: 12n,
        level: "forged"
      })
      logNow("error", "hostile", { error: new Unspeakable() })
      logNow("error", "hostile", { error: new Error("\u0001\ud83d".repeat(1_000_000)), list: Array(10_000).fill("x") })
      for (let field = 0; field < 3; field++)
        logNow("warn", "hostile", Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, "y".repeat(400)])))
    }),
  secrets: () =>
    Effect.sync(() =>
      logNow("warn", "secrets", {
        error: new Error(
          "cannot reach postgres://hub:hunter2@db:5432/hub with Bearer hunter2.x, whsec_hunter2 or hxv_hunter2"
        ),
        password: "hunter2",
        settings: { HUB_PORT: "8080", HUB_SERVER_KEY: "hunter2", seed: "hunter2", inner: { clientSecret: ["hunter2"] } }
      })
    ),
  repeat: (times) =>
    Effect.sync(() => {
      for (let time = 0; time < times; time++) logNow("warn", "repeated", { error: `of a stranger's choice: ${time}` })
    }),
  // Of a level that is never held back: nothing but the reader bounds them.
  fill: (times) =>
    Effect.sync(() => {
      for (let time = 0; time < times; time++)
        logNow("fatal", "fill", { text: "z".repeat(1000), more: "z".repeat(1000) })
    }),
  throw: () => Effect.sync(() => void setImmediate(() => JSON.parse("{"))),
  reject: () => Effect.sync(() => void Promise.reject(new RangeError("nobody listens")))
}

logUncaught()
process.on("message", ({ act, times }: { act: string; times: number }) => {
  Effect.runSync(Effect.provide(acts[act]?.(times) ?? Effect.die(act), processLog.logging))
  process.send?.({ waiting: process.stderr.writableLength })
})
process.once("disconnect", () => process.exit(0))
