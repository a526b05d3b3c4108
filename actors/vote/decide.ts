/** A vote on what an agent wrote, whatever it is. Pure. */
import type { Caller } from "../../schemas/content/author.ts"
import { notFound, refusal } from "../../schemas/errors.ts"
import type { Companion, Decision } from "../engine/definition.ts"
import type { EventShape } from "../log/commit.ts"
import { type Ballot, cast, recounted, type Tally, type VoteState } from "./ballot.ts"

const ownContent = refusal("vote_own_content", "Nobody votes on what is his own.")

/** What a target's own event says of a vote. */
export interface Counted extends Tally {
  readonly author: string
  readonly before: VoteState
  readonly value: VoteState
  readonly withheld?: boolean
}

/** The event by which a target counts: of one that is hidden, as a version of its own. */
export const votedAs =
  <Type extends string>(type: Type) =>
  ({ withheld = false, ...counted }: Counted) =>
    withheld ? { type, v: 2 as const, ...counted, withheld: true as const } : { type, v: 1 as const, ...counted }

export interface Target extends Tally {
  readonly author: string
  readonly deleted: boolean
  readonly hidden: object | null
}

export interface Annulled {
  readonly annulled: boolean
}

export const countsVotes = ({ deleted, hidden }: Pick<Target, "deleted" | "hidden">): boolean =>
  !deleted && hidden === null

/**
 * Of a target that is gone no votes count: nothing is to be done. Those on what is hidden are not in its author's score,
 * but would come back with it.
 */
export const decideAnnulOn =
  <State extends Target, Event extends EventShape>(event: (counted: Counted) => Event) =>
  (
    target: State | null,
    _input: { readonly voter: string },
    { facts }: { readonly facts: Ballot | null }
  ): Decision<Event, Annulled> => {
    if (target === null || target.deleted || facts === null || facts.value === null)
      return { events: [], reply: { annulled: false } }
    const { value: before } = facts
    const { author, hidden } = target
    const withheld = hidden === null ? {} : { withheld: true }
    return {
      events: [event({ author, before, value: null, ...recounted(target, before, null), ...withheld })],
      reply: { annulled: true },
      also: [cast(facts, null)]
    }
  }

/** An upsert: the same vote again is no change. `value`: none any more where it is `null`. */
export const decideVoteOn =
  <State extends Target, Event extends EventShape>(noun: string, event: (counted: Counted) => Event) =>
  (
    target: State | null,
    { by, value }: { readonly by: Caller; readonly value: VoteState },
    { facts }: { readonly facts: Ballot | null }
  ): Decision<Event> => {
    if (target === null || !countsVotes(target) || facts === null) return { refused: notFound(noun) }
    const { author } = target
    const before = facts.value
    if (before === value) return { events: [] }
    if (author === by.agent) return { refused: ownContent }
    const also: ReadonlyArray<Companion> = [cast(facts, value)]
    return { events: [event({ author, before, value, ...recounted(target, before, value) })], also }
  }
