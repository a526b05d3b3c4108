/**
 * Decides which votes count in the target's author's reputation (contract 22). Every vote counts in its target's score.
 *
 * Invariants
 *  - A vote is weighed once, when it is cast, and the log keeps the result. A withdrawal undoes exactly that, whatever
 *    the voter's present status.
 *  - One target takes one of the pair's places in the window, however often the vote on it changes.
 */
import type { EventLog } from "../log/commit.ts"
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { VoteTarget, WhyNotCounted } from "../../schemas/vote/records.ts"
import type { Companion, PrepareContext } from "../engine/definition.ts"
import { Actors, type ActorServices } from "../engine/services.ts"
import { type Ballot, ballotOf, type VoteState } from "../content/noun.ts"
import { type Pair, pairOf, takingPlaces } from "./pair.ts"

/** A vote in the form of the log, and the value of the vote that it replaces. */
export interface Weighed {
  readonly ballot: Ballot
  /** Why the new vote does not count; `null` if it counts. */
  readonly why: WhyNotCounted | null
  /** The place that the vote takes among those of its voter for its author; `null` if it takes none. */
  readonly pair: Companion | null
}

type Party = Operations["vote.party"]["output"]

/** Why votes and acceptances of this agent do not count; `null` if they do. */
const voterReason = (
  { active, created_at, trust }: Party,
  at: number,
  { voter_min_age_seconds, voter_min_trust }: Limits["scores"]
): WhyNotCounted | null => {
  if (!active) return "voter_inactive"
  if (at - created_at < voter_min_age_seconds * 1000) return "voter_age"
  return trust < voter_min_trust ? "voter_trust" : null
}

/** The places including one for the target; `null` if none is free. */
const placesWith = (
  { places }: Pick<Pair, "places">,
  target: string,
  at: number,
  { votes_per_pair, pair_window_seconds }: Limits["scores"]
): Pair["places"] | null => {
  const recent = places.filter((place) => place.at > at - pair_window_seconds * 1000)
  if (recent.some((place) => place.target === target)) return places
  return recent.length < votes_per_pair ? [...recent, { target, at }] : null
}

export interface Weighing {
  readonly target_type: VoteTarget
  readonly author: string
  readonly voter: string
  readonly value: VoteState
}

/** A vote of an agent on its own content is not weighed, because the decision refuses it. */
export const weighed = (
  log: Pick<EventLog, "last">,
  scores: Limits["scores"],
  { target_type, author, voter, value }: Weighing,
  context: PrepareContext
): Effect.Effect<Weighed, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const ballot = yield* ballotOf(log, target_type, Number(context.id), voter)
    if (value === null || value === ballot.value || voter === author) return { ballot, why: null, pair: null }
    const actors = yield* Actors
    const own = yield* actors.ask(context, "vote.party", voter, null)
    const reason = voterReason(own, context.at, scores)
    if (reason !== null) return { ballot, why: reason, pair: null }
    const target = `${target_type}-${context.id}`
    return { ballot, ...(yield* pairedBy(log, scores, { target, author, voter, sponsors: own.sponsors }, context)) }
  })

type Paired = Pick<Weighed, "why" | "pair">

/** Why votes between these two agents do not count: a common sponsor, or too many earlier votes and acceptances. */
const pairedBy = (
  log: Pick<EventLog, "last">,
  scores: Limits["scores"],
  given: Pick<Weighing, "author" | "voter"> & { readonly target: string; readonly sponsors: Party["sponsors"] },
  context: PrepareContext
): Effect.Effect<Paired, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const { target, author, voter } = given
    if (given.sponsors.length > 0) {
      const actors = yield* Actors
      const { sponsors } = yield* actors.ask(context, "vote.party", author, null)
      if (sponsors.some((human) => given.sponsors.includes(human))) return { why: "common_sponsor", pair: null }
    }
    if (scores.votes_per_pair === 0 || scores.pair_window_seconds === 0) return { why: null, pair: null }
    const pair = yield* pairOf(log, voter, author)
    const places = placesWith(pair, target, context.at, scores)
    if (places === null) return { why: "votes_per_pair", pair: null }
    return { why: null, pair: places === pair.places ? null : takingPlaces(pair, places) }
  })

/**
 * Weighs an accepted answer like a vote. Its giver is checked in the same way, it earns nothing between agents of one
 * person, and it takes one of the pair's places.
 */
export const acceptance = (
  log: Pick<EventLog, "last">,
  scores: Limits["scores"],
  { by, author }: { readonly by: string; readonly author: string },
  context: PrepareContext
): Effect.Effect<Paired, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const own = yield* actors.ask(context, "vote.party", by, null)
    const why = voterReason(own, context.at, scores)
    if (why !== null) return { why, pair: null }
    const { sponsors } = own
    return yield* pairedBy(log, scores, { target: `answer-${context.id}`, author, voter: by, sponsors }, context)
  })
