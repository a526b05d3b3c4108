/** Decisions on a letter (state.ts has the rules). Pure. */
import { unavailable } from "../../schemas/errors.ts"
import type { LetterOutcome } from "../../schemas/letter/operations.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import { type Decision, firing } from "../engine/definition.ts"
import type { Restored } from "../log/last-restore.ts"
import type { LetterLimits } from "./limits.ts"
import type { Letter, LetterEvent, LetterState } from "./state.ts"
import type { TransportName } from "../kit/mailing/transport.ts"

export const SEND_TIMER = "send"
export const OVERDUE_TIMER = "overdue"

/** The timer is set before its commit. After this time that commit exists, or never will. */
const COMMIT_WITHIN_MS = 300_000

/** The longest delay that the other side may ask for. A longer one is cut to this. */
const RETRY_AFTER_MAX_SECONDS = 86_400

/** Seconds for which a letter's content is valid; `null` if it has no end. */
export type Holds = (template: string) => number | null

type Decided = Decision<LetterEvent, null>

const NOTHING: Decided = { events: [] }
const TOO_EARLY: Decided = { refused: unavailable("The letter is not due yet.") }

export const judgeSend = (state: LetterState, fired: FiredTimer, at: number): "due" | "early" | "nothing" => {
  if (fired.name !== SEND_TIMER) return "nothing"
  if (state === null) return fired.at !== undefined && at - fired.at < COMMIT_WITHIN_MS ? "early" : "nothing"
  if (state.status !== "waiting") return "nothing"
  if (state.due === null) return "due"
  const now = firing(fired, state.due, at)
  return now === "another" ? "nothing" : now
}

export type SendFacts =
  | { readonly type: "none" }
  | { readonly type: "dropped"; readonly reason: string }
  | { readonly type: "final"; readonly reason: string }
  | { readonly type: "ready"; readonly transport: TransportName }

export const RESTORED = "the service was restored from a backup, and the letter waited then"

interface Context {
  readonly at: number
}

/**
 * True for a letter that waited at the time of the backup and may have been sent before the restore. `seq`: the
 * sequence of its last commit.
 */
export const isUnsure = (state: LetterState, seq: number, restored: Restored): boolean =>
  state !== null && seq <= restored.seq && !(state.due !== null && state.due > restored.at)

export const decideSend = (
  state: LetterState,
  fired: FiredTimer,
  { at, facts }: Context & { readonly facts: SendFacts },
  limits: LetterLimits,
  unsure = false
): Decided => {
  const judged = judgeSend(state, fired, at)
  if (judged === "early") return TOO_EARLY
  if (judged === "nothing" || state === null) return NOTHING
  if (unsure) return { events: [{ type: "letter.unknown", v: 1, attempt: state.attempts, reason: RESTORED }] }
  if (facts.type === "none") return NOTHING
  if (facts.type === "dropped") return { events: [{ type: "letter.dropped", v: 1, reason: facts.reason }] }
  if (facts.type === "final") return { events: [{ type: "letter.given_up", v: 1, reason: facts.reason }] }
  const due = at + limits.letter_timeout_ms + limits.outcome_ms
  const attempt = state.attempts + 1
  return {
    events: [{ type: "letter.attempted", v: 1, attempt, transport: facts.transport, due }],
    timers: [{ name: OVERDUE_TIMER, at: due }]
  }
}

/** Unix ms from which on the letter's content would no longer be true. */
export const staleAt = ({ template, written_at }: Letter, holds: Holds): number => {
  const seconds = holds(template)
  return seconds === null ? Number.POSITIVE_INFINITY : written_at + seconds * 1000
}

/** Records the outcome of an attempt. A repeated report, or one of an earlier attempt, changes nothing. */
export const decideSettle = (
  state: LetterState,
  { attempt, outcome }: { readonly attempt: number; readonly outcome: LetterOutcome },
  { at }: Context,
  limits: LetterLimits,
  holds: Holds
): Decided => {
  if (state === null || state.attempts !== attempt) return NOTHING
  // The attempt's node reports late that the letter was sent, or that it certainly was not.
  const isLate = state.status === "unknown" && (outcome.type === "sent" || isLost(state, outcome))
  if (state.status !== "sending" && !isLate) return NOTHING
  switch (outcome.type) {
    case "sent":
      return { events: [{ type: "letter.sent", v: 1, attempt, message_id: outcome.message_id }] }
    case "unknown":
      return { events: [{ type: "letter.unknown", v: 1, attempt, reason: outcome.reason }] }
    case "final":
      return givenUp(attempt, outcome.reason)
    case "passing": {
      const wait = (limits.retry_seconds as Readonly<Record<number, number>>)[attempt]
      const due = at + Math.max(wait ?? 0, Math.min(outcome.retry_after ?? 0, RETRY_AFTER_MAX_SECONDS)) * 1000
      if (wait === undefined || due >= staleAt(state, holds)) return givenUp(attempt, outcome.reason)
      return again(attempt, outcome.reason, due)
    }
  }
}

/** True if the attempt had no report (`lost`), and the late one is certain. The content is kept until then. */
const isLost = ({ sealed }: Letter, { type }: LetterOutcome): boolean => sealed !== "" && type !== "unknown"

export const decideOverdue = (state: LetterState, fired: FiredTimer, { at }: Context): Decided => {
  if (fired.name !== OVERDUE_TIMER || state === null || state.status !== "sending" || state.due === null) return NOTHING
  const now = firing(fired, state.due, at)
  if (now === "early") return TOO_EARLY
  if (now === "another") return NOTHING
  const { attempts: attempt, transport } = state
  if (transport === "file") return again(attempt, LOST, at)
  return { events: [{ type: "letter.unknown", v: 1, attempt, reason: LOST, lost: true }] }
}

const LOST = "the node that sent it has not said what became of it"

const again = (attempt: number, reason: string, due: number): Decided => ({
  events: [{ type: "letter.failed", v: 1, attempt, reason, due }],
  timers: [{ name: SEND_TIMER, at: due }]
})

const givenUp = (attempt: number, reason: string): Decided => ({
  events: [
    { type: "letter.failed", v: 1, attempt, reason, due: null },
    { type: "letter.given_up", v: 1, reason }
  ]
})
