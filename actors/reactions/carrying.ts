/** Sends one command of a reaction to its actor, with retries. */
import { Clock, Data, Effect, Schedule } from "effect"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import type { ErrorCode } from "../../schemas/errors.ts"
import type { Command } from "./reaction.ts"

const ASK_DEADLINE_MS = 10_000
const AGAIN_MS = 100
const AGAIN_MAX_MS = 5000
/** The number of tries if the failure may pass. */
const LATER_TRIES = 7
/** Tries if the service itself fails. */
const FAULT_TRIES = 6

/** The actor could not be asked, or it failed. The command may still have been carried out. */
export class NotDone extends Data.TaggedError("NotDone")<{ readonly code: ErrorCode }> {}

const LATER: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded"])

const distances = Schedule.min([Schedule.exponential(AGAIN_MS), Schedule.spaced(AGAIN_MAX_MS)])

export const PATIENT = { later: LATER_TRIES, fault: FAULT_TRIES }
export const ONCE = { later: 1, fault: 1 }

/** Has a command carried out. The actor may refuse it. */
export const carryOut = (
  ask: (ask: Ask) => Promise<Answer>,
  { id, told: { op, kind, actor, input } }: Command,
  traceparent: string | undefined,
  tries: typeof PATIENT
): Effect.Effect<"done" | "refused", NotDone> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.promise(() => ask({ id, op, kind, actor, input, traceparent, deadline: now + ASK_DEADLINE_MS }))
  ).pipe(
    Effect.flatMap(({ head: { refused } }): Effect.Effect<"done" | "refused", NotDone> => {
      if (refused === undefined) return Effect.succeed("done")
      return LATER.has(refused.code) || refused.code === "internal_error"
        ? Effect.fail(new NotDone({ code: refused.code }))
        : Effect.succeed("refused")
    }),
    Effect.retry({ schedule: distances, times: tries.fault - 1, while: ({ code }) => code === "internal_error" }),
    Effect.retry({ schedule: distances, times: tries.later - 1, while: ({ code }) => LATER.has(code) })
  )
