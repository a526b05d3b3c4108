/**
 * The actor of one letter to a person, from the commit that causes the letter to its delivery to the mail server
 * (state.ts).
 */
import { Effect } from "effect"
import { LETTER_LIMITS } from "../../schemas/letter/limits.ts"
import { letterOperations } from "../../schemas/letter/operations.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { type Decision, write } from "../engine/definition.ts"
import { type Fold, kind } from "../kit/kind.ts"
import {
  decideOverdue,
  decideSend,
  decideSettle,
  isUnsure,
  RESTORED,
  judgeSend,
  OVERDUE_TIMER,
  SEND_TIMER
} from "./decide.ts"
import { attempted, NOTHING_TO_SEND, prepared } from "./sending.ts"
import { evolveLetter, type LetterActor, LetterEvent, LetterState } from "./state.ts"
import { holdsSeconds } from "./templates.ts"
import { letterLimits } from "./limits.ts"
import type { LetterParts } from "./letters.ts"

const fold: Fold<LetterActor> = {
  kind: "letter",
  ends: true,
  state: LetterState,
  initial: null,
  events: LetterEvent,
  evolve: evolveLetter
}

/** Gives `after` the state before the commit. `after` decides on it again, to find out which events were logged. */
const before = (state: LetterState): Effect.Effect<LetterState> => Effect.succeed(state)

export const letterKind = kind(fold, letterOperations, (parts: LetterParts) => {
  const { config, letters, restored } = parts
  const limits = letterLimits(config.limits)
  const holds = (template: string): number | null => holdsSeconds(template, limits)
  const settle = (state: LetterState, input: SettleInput, context: { readonly at: number }) =>
    decideSettle(state, input, context, limits, holds)
  return {
    keepSeconds: () => LETTER_LIMITS.kept_seconds,
    onTimer: { [SEND_TIMER]: "letter.send", [OVERDUE_TIMER]: "letter.overdue" },
    operations: {
      "letter.send": write({
        prepare: (state, fired, context) =>
          state === null || judgeSend(state, fired, context.at) !== "due" || isUnsure(state, context.seq, restored)
            ? Effect.succeed(NOTHING_TO_SEND)
            : prepared(parts, state, context),
        decide: (state, fired, { at, seq, facts: { facts } }) =>
          decideSend(state, fired, { at, facts }, limits, isUnsure(state, seq, restored)),
        answer: () => null,
        after: (_fired, { id, facts: ready }, { state }) => {
          if (state?.status === "unknown") return warned(id, "unknown", RESTORED)
          if (ready.facts.type === "ready") return attempted(letters, ready, id)
          return ready.facts.type === "final" ? warned(id, "given_up", ready.facts.reason) : Effect.void
        }
      }),
      "letter.settle": write({
        prepare: before,
        decide: settle,
        answer: () => null,
        after: (input, context) => ended(context.id, settle(context.facts, input, context))
      }),
      "letter.overdue": write({
        prepare: before,
        decide: decideOverdue,
        answer: () => null,
        after: (fired, context) => ended(context.id, decideOverdue(context.facts, fired, context))
      })
    }
  }
})

type SettleInput = Parameters<typeof decideSettle>[1]

/**
 * Logs a letter that will not arrive, or whose outcome is unknown, for the operator. The line does not name the person.
 */
const warned = (letter: string, status: "given_up" | "unknown", reason: string): Effect.Effect<void> =>
  Effect.sync(() => logNow("warn", "letter", { letter, status, reason }))

const ended = (letter: string, { events = [] }: Decision<LetterEvent>): Effect.Effect<void> =>
  Effect.forEach(
    events,
    (event) =>
      event.type === "letter.unknown"
        ? warned(letter, "unknown", event.reason)
        : event.type === "letter.given_up"
          ? warned(letter, "given_up", event.reason)
          : Effect.void,
    { discard: true }
  )
