/** Decisions on a vote. Pure. */
import type { Caller } from "../../schemas/content/author.ts"
import { notFound, refusal } from "../../schemas/errors.ts"
import type { Companion, Decision } from "../engine/definition.ts"
import type { EventShape } from "../log/commit.ts"
import { type Ballot, cast, type Change, isWhole, recast, type Tally, type VoteState } from "../content/noun.ts"
import type { Weighed } from "./weighing.ts"

const ownContent = refusal("vote_own_content", "Nobody votes on what is his own.")

export interface CountedVote extends Required<Tally>, Change {
  readonly author: string
  readonly withheld: boolean
}

/**
 * The event by which a target counts a vote. There are other versions for hidden targets, and for targets where not all
 * votes count.
 */
export const votedAs =
  <Type extends string>(type: Type) =>
  ({ author, before, value, counts, upvotes, downvotes, counted, withheld }: CountedVote) => {
    const fields = { type, author, before, value, upvotes, downvotes }
    const countsAll = counts.before && counts.value && isWhole({ upvotes, downvotes, counted })
    if (!countsAll)
      return { v: 3 as const, ...fields, counted, counts, ...(withheld ? { withheld: true as const } : {}) }
    return withheld ? { v: 2 as const, ...fields, withheld: true as const } : { v: 1 as const, ...fields }
  }

export interface Target extends Required<Tally> {
  readonly author: string
  readonly deleted: boolean
  readonly hidden: object | null
}

export interface Annulled {
  readonly annulled: boolean
}

const countsVotes = ({ deleted, hidden }: Pick<Target, "deleted" | "hidden">): boolean => !deleted && hidden === null

/**
 * Removes a banned account's vote. Votes on a deleted target do not count, so there is nothing to do. Votes on a hidden
 * target are not in its author's score, but would return to it with the target.
 */
export const decideAnnulOn =
  <State extends Target, Event extends EventShape>(event: (counted: CountedVote) => Event) =>
  (
    target: State | null,
    _input: { readonly voter: string },
    { facts }: { readonly facts: Ballot | null }
  ): Decision<Event, Annulled> => {
    if (target === null || target.deleted || facts === null || facts.value === null)
      return { events: [], reply: { annulled: false } }
    const change = { before: facts.value, value: null, counts: { before: facts.counts, value: true } }
    const { author, hidden } = target
    return {
      events: [event({ author, ...change, ...recast(target, change), withheld: hidden !== null })],
      reply: { annulled: true },
      companions: [cast(facts, null)]
    }
  }

/**
 * Sets or changes a vote; the same vote again is no change. A `value` of `null` withdraws it. The former vote's effect
 * on the author's reputation is undone, whatever the voter's present status.
 */
export const decideVoteOn =
  <State extends Target, Event extends EventShape>(noun: string, event: (counted: CountedVote) => Event) =>
  (
    target: State | null,
    { by, value }: { readonly by: Caller; readonly value: VoteState },
    { facts }: { readonly facts: Weighed | null }
  ): Decision<Event> => {
    if (target === null || !countsVotes(target) || facts === null) return { refused: notFound(noun) }
    const { author } = target
    const { ballot, why, pair } = facts
    const before = ballot.value
    if (before === value) return { events: [] }
    if (author === by.agent) return { refused: ownContent }
    const change = { before, value, counts: { before: ballot.counts, value: why === null } }
    const companions: ReadonlyArray<Companion> = [cast(ballot, value, why), ...(pair === null ? [] : [pair])]
    return { events: [event({ author, ...change, ...recast(target, change), withheld: false })], companions }
  }
