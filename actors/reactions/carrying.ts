/** One command of a reaction, carried out by the actor that it is told to. */
import { Data, Effect, Schedule } from "effect"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import type { ErrorCode } from "../../schemas/errors.ts"
import type { Told } from "./reaction.ts"

const ASK_DEADLINE_MS = 10_000
const AGAIN_MS = 100
const AGAIN_MAX_MS = 5000
/** Tries against what may go better later, with five minutes of pauses; then the reactor begins again at its mark. */
const TRIES = 60
/** Tries against what fails inside the service. */
const FAULT_TRIES = 5

/** The actor could not be asked, or failed: it has not judged. */
export class NotDone extends Data.TaggedError("NotDone")<{ readonly code: ErrorCode }> {}

const LATER: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded"])

const distances = Schedule.min([Schedule.exponential(AGAIN_MS), Schedule.spaced(AGAIN_MAX_MS)])

/** Whether the actor did it; it may have refused. `id`: the same for the same command, whoever asks. */
export const carryOut = (
  ask: (ask: Ask) => Promise<Answer>,
  id: string,
  told: Told,
  traceparent: string | undefined
): Effect.Effect<"done" | "refused", NotDone> =>
  Effect.suspend(() => {
    const { op, kind, actor, input } = told
    return Effect.promise(() =>
      ask({ id, op, kind, actor, input, traceparent, deadline: Date.now() + ASK_DEADLINE_MS })
    )
  }).pipe(
    Effect.flatMap(({ head: { refused } }): Effect.Effect<"done" | "refused", NotDone> => {
      if (refused === undefined) return Effect.succeed("done")
      return LATER.has(refused.code) || refused.code === "internal_error"
        ? Effect.fail(new NotDone({ code: refused.code }))
        : Effect.succeed("refused")
    }),
    Effect.retry({ schedule: distances, times: FAULT_TRIES, while: ({ code }) => code === "internal_error" }),
    Effect.retry({ schedule: distances, times: TRIES, while: ({ code }) => LATER.has(code) })
  )
