/**
 * Withdraws the votes of an agent that was banned (contract 19). Its id is the agent's hub id.
 *
 * Invariants
 *  - It begins, with its timer, in the commit of the ban. A timer that fires before that commit is repeated for as long
 *    as a commit may take.
 *  - Each step reads a page of the remaining votes from the read model, and asks each target to remove its vote in a
 *    separate commit. Repeating this has no effect, so a step may be interrupted anywhere and repeated.
 *  - A vote that was under way during the ban is in the log `SETTLED_MS` later. The last check is not earlier, and only
 *    after the read model has caught up with the log of that time.
 *  - Votes on hidden content are removed too, because they would return with it.
 *  - It may begin again after its end, for accounts that an older release has banned.
 */
import { Effect, Schema } from "effect"
import { refusal, unavailable } from "../../schemas/errors.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import { withdrawalOperations } from "../../schemas/vote/operations.ts"
import type { Vote } from "../../schemas/vote/records.ts"
import { subjects } from "../../schemas/subjects.ts"
import { type Companion, type Decision, firing, type PrepareContext, type Timer, write } from "../engine/definition.ts"
import { event } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import type { EventLog } from "../log/commit.ts"
import { Actors, Views } from "../engine/services.ts"

const TIMER = "go_on"
/** The number of votes that are removed in one step, and how many of them in parallel. */
const STEP_VOTES = 50
const ABREAST = 8
/** The pause after a check that found nothing new: the read model is behind, or no vote is left. */
const AGAIN_MS = 5000
/** Longer than any command may take, including the way of its commit to the read model. */
const SETTLED_MS = 60_000
/** Longer than the commit of a ban may take. */
const BEGUN_WITHIN_MS = 30_000

const Withdrawal = Schema.Struct({
  /** Unix ms before which an empty check is not the end. */
  settled: Schema.Number,
  /** Unix ms of the next step; `null` once the withdrawal is done. */
  due: Schema.NullOr(Schema.Number),
  /** The sequence of the newest vote in the log after `settled`; `null` before. */
  end: Schema.NullOr(Schema.Int),
  votes: Schema.Int
})
type Withdrawal = typeof Withdrawal.Type

/** `null`: no withdrawal has begun. */
export const WithdrawalState = Schema.NullOr(Withdrawal)
export type WithdrawalState = typeof WithdrawalState.Type

export const WithdrawalEvent = Schema.Union([
  event("withdrawal.begun", 1, { settled: Schema.Number, due: Schema.Number }),
  event("withdrawal.gone_on", 1, { votes: Schema.Int, due: Schema.Number, end: Schema.NullOr(Schema.Int) }),
  event("withdrawal.done", 1)
])
export type WithdrawalEvent = typeof WithdrawalEvent.Type

export const evolveWithdrawal = (state: WithdrawalState, event: WithdrawalEvent): WithdrawalState => {
  if (event.type === "withdrawal.begun") return { settled: event.settled, due: event.due, end: null, votes: 0 }
  if (state === null) return null
  if (event.type === "withdrawal.done") return { ...state, due: null }
  return { ...state, due: event.due, end: event.end, votes: state.votes + event.votes }
}

const timerOf = (agent: string, at: number): Timer => ({ name: TIMER, at, of: { kind: "withdrawal", id: agent } })

const begunAt = (at: number): WithdrawalEvent => ({ type: "withdrawal.begun", v: 1, settled: at + SETTLED_MS, due: at })

export const withdrawing = (
  agent: string,
  at: number
): { readonly companions: ReadonlyArray<Companion>; readonly timers: ReadonlyArray<Timer> } => ({
  companions: [{ kind: "withdrawal", id: agent, expected: 0, events: [begunAt(at)] }],
  timers: [timerOf(agent, at)]
})

const notBanned = refusal("validation_error", "The agent is not banned: it keeps its votes.", { field: "status" })

/** Begins again for an agent that was banned before. `facts`: whether it is banned. */
export const decideBegin = (
  state: WithdrawalState,
  _input: null,
  { id, at, facts: banned }: { readonly id: string; readonly at: number; readonly facts: boolean }
): Decision<WithdrawalEvent> => {
  if (!banned) return { refused: notBanned }
  if (state !== null && state.due !== null) return { events: [] }
  return { events: [begunAt(at)], timers: [timerOf(id, at)] }
}

/** The number of votes that a step read from the read model, at most STEP_VOTES, and of those that were removed. */
export interface Step {
  readonly found: number
  readonly annulled: number
  /** Sequences of the log: of its newest vote, and of the read model's watermark. Both are read before the votes. */
  readonly end: number
  readonly watermark: number
}

export const decideGoOn = (
  state: WithdrawalState,
  fired: FiredTimer,
  { id, at, facts }: { readonly id: string; readonly at: number; readonly facts: Step | null }
): Decision<WithdrawalEvent> => {
  const now = dueOf(state, fired, at)
  if (now === "early") return { refused: unavailable("The step is not due yet, or the ban not committed.") }
  if (state === null || now !== "due" || facts === null) return { events: [] }
  const { found, annulled } = facts
  if (found === 0 && state.end !== null && facts.watermark >= state.end)
    return { events: [{ type: "withdrawal.done", v: 1 }] }
  const end = state.end ?? (at >= state.settled ? facts.end : null)
  const waits = found > 0 || end !== null
  const later = waits ? at + AGAIN_MS : Math.max(state.settled, at + AGAIN_MS)
  const due = annulled > 0 ? at : later
  return { events: [{ type: "withdrawal.gone_on", v: 1, votes: annulled, due, end }], timers: [timerOf(id, due)] }
}

const dueOf = (state: WithdrawalState, fired: FiredTimer, at: number): "due" | "early" | "another" => {
  if (state === null) return fired.at !== undefined && at - fired.at < BEGUN_WITHIN_MS ? "early" : "another"
  return state.due === null ? "another" : firing(fired, state.due, at)
}

/** One step. Fails if the read model or a target cannot be reached; the timer then comes again. */
const step = (log: EventLog, context: PrepareContext) =>
  Effect.gen(function* () {
    const { id: voter } = context
    const [views, actors] = [yield* Views, yield* Actors]
    const end = yield* Effect.tryPromise({
      try: () => log.lastSeq(subjects.eventsOf("vote")),
      catch: () => unavailable("The end of the log cannot be looked up at the moment.")
    })
    const watermark = yield* views.query(context, "watermark", { projection: "vote" })
    const items = yield* views.query(context, "votes_to_withdraw", { voter, limit: STEP_VOTES })
    const annul = ({ target_type, target_id }: Vote) =>
      actors.ask(context, `${target_type}.annul_vote`, String(target_id), { voter })
    const done = yield* Effect.forEach(items, annul, { concurrency: ABREAST })
    return { found: items.length, annulled: done.filter(({ annulled }) => annulled).length, end, watermark }
  })

const fold: Fold<ActorOf<WithdrawalState, WithdrawalEvent>> = {
  kind: "withdrawal",
  state: WithdrawalState,
  initial: null,
  events: WithdrawalEvent,
  evolve: evolveWithdrawal
}

export const withdrawalKind = kind(fold, withdrawalOperations, ({ log }) => ({
  onTimer: { [TIMER]: "withdrawal.go_on" },
  operations: {
    "withdrawal.go_on": write({
      prepare: (state, fired, context) =>
        dueOf(state, fired, context.at) === "due" ? step(log, context) : Effect.succeed(null),
      decide: decideGoOn,
      answer: () => null
    }),
    "withdrawal.begin": write({
      prepare: (_state, _input, context) =>
        Effect.gen(function* () {
          const actors = yield* Actors
          const { status } = yield* actors.ask(context, "agent.inspect", context.id, null)
          return status === "banned"
        }),
      decide: decideBegin,
      answer: () => null
    })
  }
}))
