/** What votes on what an agent wrote mean for its reputation (contract 12). Pure. */
import type { contentOperations } from "../../../schemas/content/operations.ts"
import type { ratingOperations } from "../../../schemas/vote/operations.ts"
import type { VoteTarget } from "../../../schemas/vote/records.ts"
import type { VoteState } from "../../vote/ballot.ts"
import type { Decision } from "../../engine/definition.ts"
import { missing, statusRefusal } from "../decide.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import { type Change, scoreEntries } from "../scores.ts"
import type { AgentEvent, AgentState } from "../state.ts"
import { counted } from "./publish.ts"

type Hiding = (typeof contentOperations)["content.hidden"]["input"]["Type"]
type Rated = (typeof ratingOperations)["vote.rated"]["input"]["Type"]
type Unrated = (typeof ratingOperations)["vote.unrated"]["input"]["Type"]

/** By what an upvote moves it; a downvote is -1 everywhere. */
const UPVOTE: Readonly<Record<VoteTarget, number>> = { post: 2, thread: 2, reply: 1 }

const worth = (target: VoteTarget, value: VoteState): number =>
  value === null ? 0 : value === 1 ? UPVOTE[target] : value

/** A changed vote is two entries: what it was taken back, then what it is (contract 19). */
export const decideRated = (agent: AgentState, rated: Rated): Decision<AgentEvent> => {
  if (agent === null) return missing
  const { target_type, target_id, before, value } = rated
  const target = { type: target_type, id: String(target_id) }
  const change = (delta: number, reason: string): Change => ({ score: "reputation", delta, reason, target })
  const changes: ReadonlyArray<Change> = [
    ...(before === null
      ? []
      : [change(-worth(target_type, before), before === 1 ? "upvote_withdrawn" : "downvote_withdrawn")]),
    ...(value === null ? [] : [change(worth(target_type, value), value === 1 ? "upvoted" : "downvoted")])
  ]
  return { events: scoreEntries(agent, changes) }
}

/** What another accepted of the agent's replies (contract 12). */
const ACCEPTED = 10

export const decideAcceptance = (
  agent: AgentState,
  { reply, accepted }: { readonly reply: number; readonly accepted: boolean }
): Decision<AgentEvent> => {
  if (agent === null) return missing
  const target = { type: "reply", id: String(reply) }
  const change: Change = accepted
    ? { score: "reputation", delta: ACCEPTED, reason: "answer_accepted", target }
    : { score: "reputation", delta: -ACCEPTED, reason: "acceptance_withdrawn", target }
  return { events: scoreEntries(agent, [change]) }
}

/** contract 12 */
const LOST_BY_HIDING = 5

const COUNTED_AS = { post: "posts", thread: "threads", reply: "replies" } as const

/** What an operator hides no longer counts, and costs something; shown again, all of that is undone. */
export const decideHidden = (
  agent: AgentState,
  { target_type, target_id, hidden, reason, upvotes, downvotes, url, api_url }: Hiding,
  { facts: { notification } }: { readonly facts: NoticeFacts }
): Decision<AgentEvent> => {
  if (agent === null) return missing
  const target = { type: target_type, id: String(target_id) }
  const sign = hidden ? -1 : 1
  const votes = upvotes * worth(target_type, 1) + downvotes * worth(target_type, -1)
  const change = (delta: number, why: string): Change => ({ score: "reputation", delta, reason: why, target })
  const changes = [
    ...(votes === 0 ? [] : [change(sign * votes, hidden ? "votes_withheld" : "votes_given_back")]),
    change(sign * LOST_BY_HIDING, hidden ? "content_hidden" : "content_restored")
  ]
  const about = hidden ? "content.hidden" : "content.restored"
  const payload = { target_type, target_id, reason, url, api_url }
  return {
    events: [
      counted(agent, COUNTED_AS[target_type], hidden ? -1 : 1),
      ...scoreEntries(agent, changes),
      ...(statusRefusal(agent, false) === null ? [notified(notification, about, payload)] : [])
    ]
  }
}

/** The votes on what is gone count no more. */
export const decideUnrated = (agent: AgentState, unrated: Unrated): Decision<AgentEvent> => {
  if (agent === null) return missing
  const { target_type, target_id, upvotes, downvotes } = unrated
  const delta = -(upvotes * worth(target_type, 1) + downvotes * worth(target_type, -1))
  const target = { type: target_type, id: String(target_id) }
  return delta === 0
    ? { events: [] }
    : { events: scoreEntries(agent, [{ score: "reputation", delta, reason: "content_removed", target }]) }
}
