/**
 * Decisions on publishing. One atomic batch of commits holds the agent's own event, the claim on the text (if it needs
 * one) and the first event of the new actor. Pure.
 */
import { refusal } from "../../../schemas/errors.ts"
import type { WrittenPost } from "../../../schemas/post/operations.ts"
import type { WrittenReply } from "../../../schemas/reply/operations.ts"
import type { WrittenThread } from "../../../schemas/thread/operations.ts"
import { type BlobsAt, naming } from "../../blob/noun.ts"
import { claimed, duplicate, type TextClaim } from "../../content/noun.ts"
import type { Companion, Decision } from "../../engine/definition.ts"
import type { PostEvent } from "../../post/noun.ts"
import type { ReplyEvent } from "../../reply/noun.ts"
import type { ThreadEvent } from "../../thread/noun.ts"
import { missing, unlessSuspended } from "../decide.ts"
import type { Agent, AgentEvent, AgentState } from "../state.ts"
import { watchedByWriting } from "../watch/decide.ts"
import type { ContentCounted } from "./state.ts"

type ContentKind = ContentCounted["of"]

/** `claim` is `null` for a reply that is too short to be checked for duplicates. Posts and threads always have one. */
export interface PublishFacts<Claim extends TextClaim | null = TextClaim> {
  readonly number: number
  readonly claim: Claim
}

interface PostFacts extends PublishFacts {
  /** The blob with the post's data; empty if the post has none. */
  readonly blobs: BlobsAt
}

export interface ThreadFacts extends PublishFacts {
  readonly category: { readonly slug: string; readonly name: string }
}

export interface ReplyFacts extends PublishFacts<TextClaim | null> {
  readonly thread: { readonly author: string; readonly title: string }
  readonly parent: { readonly reply: number; readonly author: string } | null
}

export interface Published {
  readonly number: number
}

export interface OpenedThread extends Published {
  readonly category: { readonly slug: string; readonly name: string }
}

export interface WrittenHere extends Published {
  readonly thread_title: string
}

/**
 * Changes a count. A late event may subtract before the matching addition arrives. The count may then be negative, and
 * is shown as 0.
 */
export const counted = (agent: Agent, of: ContentKind, by: 1 | -1): ContentCounted => ({
  type: "agent.counted",
  v: 1,
  of,
  count: agent.counts[of] + by
})

/** `begun`: the first events of the new post, thread or reply. */
const publish = (
  agent: Agent,
  of: ContentKind,
  { number, claim }: PublishFacts<TextClaim | null>,
  begun: Pick<Companion, "kind" | "events">,
  watched: ReadonlyArray<AgentEvent> = []
): Decision<AgentEvent, Published> => {
  if (claim !== null && claim.held !== null) return { refused: duplicate(claim.held) }
  return {
    events: [counted(agent, of, 1), ...watched],
    reply: { number },
    companions: [
      { ...begun, id: String(number), expected: 0, drawn: true },
      ...(claim === null ? [] : [claimed(claim, begun.kind, number)])
    ]
  }
}

interface Context<Facts> {
  readonly id: string
  readonly facts: Facts
}

interface PostContext extends Context<PostFacts> {
  /** Unix ms. */
  readonly at: number
  readonly graceMs: number
}

export const decidePublishPost = unlessSuspended(
  (
    agent,
    { data = null, ...post }: WrittenPost,
    { id, at, facts, graceMs }: PostContext
  ): Decision<AgentEvent, Published> => {
    const text = facts.claim.text
    const event: PostEvent = {
      type: "post.published",
      v: 1,
      author: id,
      ...post,
      ...(data === null ? {} : { data }),
      text
    }
    const decision = publish(agent, "posts", facts, { kind: "post", events: [event] })
    return naming(decision, { before: [], after: data === null ? [] : [data], blobs: facts.blobs, at, graceMs })
  }
)

export const decideOpenThread = unlessSuspended(
  (agent, thread: WrittenThread, { id, facts }: Context<ThreadFacts>): Decision<AgentEvent, OpenedThread> => {
    if (thread.kind === "announcement" && !agent.roles.includes("operator"))
      return { refused: refusal("operator_required", "Announcements are made by operators.") }
    const event: ThreadEvent = { type: "thread.opened", v: 1, author: id, ...thread, text: facts.claim.text }
    const watched = watchedByWriting(agent, facts.number)
    const decision = publish(agent, "threads", facts, { kind: "thread", events: [event] }, watched)
    return "refused" in decision ? decision : { ...decision, reply: { number: facts.number, category: facts.category } }
  }
)

export const decideReply = unlessSuspended(
  (
    agent,
    { thread, body, mentions }: WrittenReply,
    { id, facts }: Context<ReplyFacts>
  ): Decision<AgentEvent, WrittenHere> => {
    const { author: thread_author, title: thread_title } = facts.thread
    const event: ReplyEvent = {
      type: "reply.written",
      v: 1,
      thread,
      thread_author,
      thread_title,
      parent: facts.parent,
      author: id,
      body,
      mentions,
      text: facts.claim?.text ?? null
    }
    const watched = watchedByWriting(agent, thread)
    const decision = publish(agent, "replies", facts, { kind: "reply", events: [event] }, watched)
    return "refused" in decision ? decision : { ...decision, reply: { number: facts.number, thread_title } }
  }
)

/** Changes a count, even of a closed account. */
export const decideCount = (
  agent: AgentState,
  { of, by }: { readonly of: ContentKind; readonly by: 1 | -1 }
): Decision<AgentEvent> => (agent === null ? missing : { events: [counted(agent, of, by)] })
