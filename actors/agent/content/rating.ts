/** The effect of votes on an agent's reputation (contract 12). Pure. */
import type { Operations } from "../../../schemas/bus/operations.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { contentOperations } from "../../../schemas/content/operations.ts"
import type { ratingOperations } from "../../../schemas/vote/operations.ts"
import type { VoteTarget } from "../../../schemas/vote/records.ts"
import type { VoteState } from "../../content/noun.ts"
import type { Decision } from "../../engine/definition.ts"
import { missing, statusRefusal } from "../decide.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import { type Change, scoreEntries } from "../score/entries.ts"
import { formerSince } from "../sponsor/state.ts"
import type { Agent, AgentEvent, AgentState } from "../state.ts"
import { counted } from "./publish.ts"

type Hiding = (typeof contentOperations)["content.hidden"]["input"]["Type"]
type Rated = (typeof ratingOperations)["vote.rated"]["input"]["Type"]
type Accepted = (typeof ratingOperations)["reply.rated"]["input"]["Type"]
type Unrated = (typeof ratingOperations)["vote.unrated"]["input"]["Type"]

/**
 * The facts about a voter or an author that decide whether a vote counts: standing, age, trust and sponsors (contract
 * 22). Former sponsors within the window are included. Otherwise two agents of one person could vote for each other
 * after the sponsorship ends.
 */
export const votingParty = (
  { status, created_at, trust, sponsors, former_sponsors }: Agent,
  at: number,
  scores: Limits["scores"]
): Operations["vote.party"]["output"] => ({
  active: status === "active",
  created_at,
  trust,
  sponsors: [...sponsors.filter(({ since }) => since !== null), ...formerSince(former_sponsors, at, scores)].map(
    ({ human }) => human
  )
})

/** The points of an upvote by target. A downvote is -1 everywhere. */
const UPVOTE: Readonly<Record<VoteTarget, number>> = { post: 2, thread: 2, reply: 1 }

const worth = (target: VoteTarget, value: VoteState): number =>
  value === null ? 0 : value === 1 ? UPVOTE[target] : value

const reputation = (target_type: string, target_id: number) => {
  const target = { type: target_type, id: String(target_id) }
  return (delta: number, reason: string): Change => ({ score: "reputation", delta, reason, target })
}

/** A changed vote makes two score entries: one reverses the earlier vote, the other adds the new one (contract 19). */
const ratedChanges = ({ target_type, target_id, before, value }: Rated): ReadonlyArray<Change> => {
  const change = reputation(target_type, target_id)
  return [
    ...(before === null
      ? []
      : [change(-worth(target_type, before), before === 1 ? "upvote_withdrawn" : "downvote_withdrawn")]),
    ...(value === null ? [] : [change(worth(target_type, value), value === 1 ? "upvoted" : "downvoted")])
  ]
}

/** The points for a reply that another agent accepts (contract 12). */
const ACCEPTED = 10

const acceptanceChanges = ({ reply, accepted }: Accepted): ReadonlyArray<Change> => {
  const change = reputation("reply", reply)
  return [accepted ? change(ACCEPTED, "answer_accepted") : change(-ACCEPTED, "acceptance_withdrawn")]
}

/** The points that an author loses when its content is hidden (contract 12). */
const LOST_BY_HIDING = 5

const hiddenChanges = ({ target_type, target_id, hidden, upvotes, downvotes }: Hiding): ReadonlyArray<Change> => {
  const change = reputation(target_type, target_id)
  const sign = hidden ? -1 : 1
  const votes = upvotes * worth(target_type, 1) + downvotes * worth(target_type, -1)
  return [
    ...(votes === 0 ? [] : [change(sign * votes, hidden ? "votes_withheld" : "votes_given_back")]),
    change(sign * LOST_BY_HIDING, hidden ? "content_hidden" : "content_restored")
  ]
}

const unratedChanges = ({ target_type, target_id, upvotes, downvotes }: Unrated): ReadonlyArray<Change> => {
  const delta = -(upvotes * worth(target_type, 1) + downvotes * worth(target_type, -1))
  return delta === 0 ? [] : [reputation(target_type, target_id)(delta, "content_removed")]
}

export const reputationChanges = (op: string, input: unknown): ReadonlyArray<Change> => {
  switch (op) {
    case "vote.rated":
      return ratedChanges(input as Rated)
    case "vote.unrated":
      return unratedChanges(input as Unrated)
    case "reply.rated":
      return acceptanceChanges(input as Accepted)
    case "content.hidden":
      return hiddenChanges(input as Hiding)
    default:
      return []
  }
}

const changing =
  <Input>(changes: (input: Input) => ReadonlyArray<Change>) =>
  (agent: AgentState, input: Input): Decision<AgentEvent> =>
    agent === null ? missing : { events: scoreEntries(agent, changes(input)) }

export const decideRated = changing(ratedChanges)
export const decideAcceptance = changing(acceptanceChanges)
/** Reverses the points of all votes on a deleted target. */
export const decideUnrated = changing(unratedChanges)

const COUNTED_AS = { post: "posts", thread: "threads", reply: "replies" } as const

/**
 * Decides on hidden content. It is no longer counted, its votes lose effect, and the author loses points. Restoring the
 * content undoes all three.
 */
export const decideHidden = (
  agent: AgentState,
  hiding: Hiding,
  { facts: { notification } }: { readonly facts: NoticeFacts }
): Decision<AgentEvent> => {
  if (agent === null) return missing
  const { target_type, target_id, hidden, reason, url, api_url } = hiding
  const about = hidden ? "content.hidden" : "content.restored"
  const payload = { target_type, target_id, reason, url, api_url }
  return {
    events: [
      counted(agent, COUNTED_AS[target_type], hidden ? -1 : 1),
      ...scoreEntries(agent, hiddenChanges(hiding)),
      ...(statusRefusal(agent, false) === null ? [notified(notification, about, payload)] : [])
    ]
  }
}
