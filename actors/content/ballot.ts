/**
 * The vote of an agent on a target: id = `<type>-<number>-<hub id>`.
 *
 * Invariants
 *  - A vote has no operations. It is written only in commits of its target, which count it at the same time. The target
 *    first reads the vote in the log. So the score is the sum of the votes at every point of the log.
 */
import { Effect, Schema } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { VoteTarget, VoteValue, WhyNotCounted } from "../../schemas/vote/records.ts"
import type { Companion } from "../engine/definition.ts"
import { event, eventsOf } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import type { EventLog } from "../log/commit.ts"
import { subjects } from "../../schemas/subjects.ts"

/** `null`: there is no vote, or it was withdrawn. */
export const VoteState = Schema.NullOr(VoteValue)
export type VoteState = typeof VoteState.Type

const NONE: VoteState = null

const castFields = {
  target_type: VoteTarget,
  target_id: Schema.Int,
  voter: Schema.String,
  value: Schema.NullOr(VoteValue)
}

export const VoteEvent = Schema.Union([
  event("vote.cast", 1, castFields),
  /** `why`: the reason why the vote counts only in the target's score, and not in the author's reputation. */
  event("vote.cast", 2, { ...castFields, why: WhyNotCounted })
])
export type VoteEvent = typeof VoteEvent.Type

const evolveVote = (_state: VoteState, { value }: VoteEvent): VoteState => value

const fold: Fold<ActorOf<VoteState, VoteEvent>> = {
  kind: "vote",
  state: VoteState,
  initial: null,
  events: VoteEvent,
  evolve: evolveVote
}

export const voteKind = kind(fold, {}, () => ({ operations: {} }))

export interface Ballot {
  readonly target_type: VoteTarget
  readonly target_id: number
  readonly voter: string
  readonly seq: number
  readonly value: VoteState
  /** True if it counts in the author's reputation. */
  readonly counts: boolean
}

const idOf = (target_type: VoteTarget, target_id: number, voter: string): string =>
  `${target_type}-${target_id}-${voter}`

export const ballotOf = (
  log: Pick<EventLog, "last">,
  target_type: VoteTarget,
  target_id: number,
  voter: string
): Effect.Effect<Ballot, Refusal> =>
  Effect.tryPromise({
    try: async () => {
      const last = await log.last(subjects.event("vote", idOf(target_type, target_id, voter)))
      const events = last === null ? [] : eventsOf(VoteEvent, last.commit)
      const newest = events.at(-1)
      const counts = newest === undefined || !("why" in newest)
      return { target_type, target_id, voter, seq: last?.seq ?? 0, value: newest?.value ?? NONE, counts }
    },
    catch: () => unavailable("Your earlier vote cannot be looked up at the moment.")
  })

/** `why`: the reason why the vote does not count in the author's reputation; `null` if it counts. */
export const cast = (
  { target_type, target_id, voter, seq }: Ballot,
  value: VoteState,
  why: WhyNotCounted | null = null
): Companion => {
  const fields = { target_type, target_id, voter, value }
  const event: VoteEvent =
    why === null ? { type: "vote.cast", v: 1, ...fields } : { type: "vote.cast", v: 2, ...fields, why }
  return { kind: "vote", id: idOf(target_type, target_id, voter), expected: seq, events: [event] }
}

const numbers = { upvotes: Schema.Int, downvotes: Schema.Int }
/**
 * The votes of a target in the form of its events. `counted`: those that count in the author's reputation; absent if
 * all of them do, as in earlier releases.
 */
export const tallied = { ...numbers, counted: Schema.optionalKey(Schema.Struct(numbers)) }
export const votesHeld = { ...numbers, counted: Schema.Struct(numbers) }
export const NO_VOTES = { upvotes: 0, downvotes: 0, counted: { upvotes: 0, downvotes: 0 } }
export const voted = { author: Schema.String, before: VoteState, value: VoteState, ...numbers }
/**
 * Version 2 of the event: the target is hidden, so its votes are already subtracted from its author's score. An older
 * release must stop here.
 */
export const votedWithheld = { ...voted, withheld: Schema.Literal(true) }
/** Version 3 of the event: not all votes of the target count in its author's reputation. */
export const votedInPart = {
  ...voted,
  counted: Schema.Struct(numbers),
  /** `before`: true if the former vote counted. `value`: true if the new vote counts. */
  counts: Schema.Struct({ before: Schema.Boolean, value: Schema.Boolean }),
  withheld: Schema.optionalKey(Schema.Literal(true))
}

interface Numbers {
  readonly upvotes: number
  readonly downvotes: number
}

export interface Tally extends Numbers {
  readonly counted?: Numbers
}

export interface Change {
  readonly before: VoteState
  readonly value: VoteState
  readonly counts: { readonly before: boolean; readonly value: boolean }
}

export const scoreOf = ({ upvotes, downvotes }: Tally): number => upvotes - downvotes

export const countedOf = ({ upvotes, downvotes, counted = { upvotes, downvotes } }: Tally): Numbers => counted

/** The form for a state, in which `counted` is always set. */
export const heldTally = (tally: Tally): Required<Tally> => {
  const { upvotes, downvotes } = tally
  return { upvotes, downvotes, counted: countedOf(tally) }
}

export const isWhole = ({ upvotes, downvotes, counted }: Required<Tally>): boolean =>
  counted.upvotes === upvotes && counted.downvotes === downvotes

/** The form for an event, without `counted` if all votes count. */
export const completeTally = (held: Required<Tally>): Tally => {
  const { upvotes, downvotes, counted } = held
  return isWhole(held) ? { upvotes, downvotes } : { upvotes, downvotes, counted }
}

/** Replaces each vote that does not count in the author's reputation by NONE. */
const inReputation = ({ before, value, counts }: Change) => ({
  before: counts.before ? before : NONE,
  value: counts.value ? value : NONE
})

const recounted = ({ upvotes, downvotes }: Numbers, before: VoteState, value: VoteState): Numbers => ({
  upvotes: upvotes + Number(value === 1) - Number(before === 1),
  downvotes: downvotes + Number(value === -1) - Number(before === -1)
})

export const recast = (tally: Tally, change: Change): Required<Tally> => {
  const { before, value } = inReputation(change)
  return {
    ...recounted(tally, change.before, change.value),
    counted: recounted(countedOf(tally), before, value)
  }
}

/** The change that a target's event makes to its author's reputation; `null` if there is none. */
export const ratedBy = (event: {
  readonly before: VoteState
  readonly value: VoteState
  readonly counts?: Change["counts"]
  readonly withheld?: true
}): Pick<Change, "before" | "value"> | null => {
  const { counts = { before: true, value: true }, withheld } = event
  const rated = inReputation({ before: event.before, value: event.value, counts })
  return withheld === true || (rated.before === null && rated.value === null) ? null : rated
}
