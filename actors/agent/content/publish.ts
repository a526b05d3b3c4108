/** What an agent publishes: in its own log, with the claim on the text and what is begun, in one commit. Pure. */
import type { WrittenPost } from "../../../schemas/post/operations.ts"
import { claimed, duplicate, type TextClaim } from "../../content/text.ts"
import type { Companion, Decision } from "../../engine/definition.ts"
import type { PostEvent } from "../../post/state.ts"
import { missing, unlessSuspended } from "../decide.ts"
import type { Agent, AgentEvent, AgentState, Counted } from "../state.ts"

export interface PublishFacts {
  /** The number that it gets. */
  readonly number: number
  readonly claim: TextClaim
}

export interface Published {
  readonly number: number
}

const counted = (agent: Agent, of: Counted, by: 1 | -1): AgentEvent => ({
  type: "agent.counted",
  v: 1,
  of,
  count: Math.max(0, agent.counts[of] + by)
})

/** `begun`: the first events of what is published. */
const publish = (
  agent: Agent,
  of: Counted,
  { number, claim }: PublishFacts,
  begun: Pick<Companion, "kind" | "events">
): Decision<AgentEvent, Published> => {
  if (claim.held !== null) return { refused: duplicate(claim.held) }
  return {
    events: [counted(agent, of, 1)],
    reply: { number },
    also: [{ ...begun, id: String(number), expected: 0 }, claimed(claim, begun.kind, number)]
  }
}

export const decidePublishPost = unlessSuspended(
  (
    agent,
    post: WrittenPost,
    { id, facts }: { readonly id: string; readonly facts: PublishFacts }
  ): Decision<AgentEvent, Published> => {
    const event: PostEvent = { type: "post.published", v: 1, author: id, ...post, text: facts.claim.text }
    return publish(agent, "posts", facts, { kind: "post", events: [event] })
  }
)

/** By reactions, which tell of each once: also of an account that is closed. */
export const decideUncount = (agent: AgentState, { of }: { readonly of: Counted }): Decision<AgentEvent> =>
  agent === null ? missing : { events: [counted(agent, of, -1)] }
