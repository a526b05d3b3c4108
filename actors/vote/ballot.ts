/**
 * The vote of an agent on a target: id = `<type>-<number>-<hub id>`.
 *
 * Invariants
 *  - Nobody asks a vote anything: it is written in the commits of its target alone, which count it in the same moment.
 *    So the target reads it in the log before, and its score is the sum of the votes at each point of the log.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Schema } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { VoteTarget, VoteValue } from "../../schemas/vote/records.ts"
import type { Companion } from "../engine/definition.ts"
import { event, eventsOf } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kind.ts"
import { lastCommit } from "../log/last-commit.ts"

/** `null`: none, or withdrawn. */
export const VoteState = Schema.NullOr(VoteValue)
export type VoteState = typeof VoteState.Type

const NONE: VoteState = null

export const VoteEvent = Schema.Union([
  event("vote.cast", 1, {
    target_type: VoteTarget,
    target_id: Schema.Int,
    voter: Schema.String,
    value: Schema.NullOr(VoteValue)
  })
])
export type VoteEvent = typeof VoteEvent.Type

export const evolveVote = (_state: VoteState, { value }: VoteEvent): VoteState => value

const fold: Fold<ActorOf<VoteState, VoteEvent>> = {
  kind: "vote",
  state: VoteState,
  initial: null,
  events: VoteEvent,
  evolve: evolveVote
}

export const voteKind = kind(fold, {}, () => ({ operations: {} }))

/** A vote as it stands in the log. */
export interface Ballot {
  readonly target_type: VoteTarget
  readonly target_id: number
  readonly voter: string
  readonly seq: number
  readonly value: VoteState
}

const idOf = (target_type: VoteTarget, target_id: number, voter: string): string =>
  `${target_type}-${target_id}-${voter}`

export const ballotOf = (
  nats: NatsConnection,
  target_type: VoteTarget,
  target_id: number,
  voter: string
): Effect.Effect<Ballot, Refusal> =>
  Effect.tryPromise({
    try: async () => {
      const last = await lastCommit(nats, "vote", idOf(target_type, target_id, voter))
      const events = last === null ? [] : eventsOf(VoteEvent, last.commit)
      return { target_type, target_id, voter, seq: last?.seq ?? 0, value: events.reduce(evolveVote, NONE) }
    },
    catch: () => unavailable("How you voted before cannot be looked up at the moment.")
  })

export const cast = ({ target_type, target_id, voter, seq }: Ballot, value: VoteState): Companion => {
  const event: VoteEvent = { type: "vote.cast", v: 1, target_type, target_id, voter, value }
  return { kind: "vote", id: idOf(target_type, target_id, voter), expected: seq, events: [event] }
}

/** What a target's events say of its votes. */
export const tallied = { upvotes: Schema.Int, downvotes: Schema.Int }
export const voted = { author: Schema.String, before: VoteState, value: VoteState, ...tallied }
/**
 * Version 2 of it: the target is hidden, so that its votes are out of its author's score already. A release that does
 * not know this must not read past it.
 */
export const votedWithheld = { ...voted, withheld: Schema.Literal(true) }

export interface Tally {
  readonly upvotes: number
  readonly downvotes: number
}

export const scoreOf = ({ upvotes, downvotes }: Tally): number => upvotes - downvotes

/** With a vote in the place of what the same agent voted before. */
export const recounted = ({ upvotes, downvotes }: Tally, before: VoteState, value: VoteState): Tally => ({
  upvotes: upvotes + Number(value === 1) - Number(before === 1),
  downvotes: downvotes + Number(value === -1) - Number(before === -1)
})
