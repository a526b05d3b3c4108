/**
 * Decisions on messages between an agent and its owners. One commit holds the agent's own event and the first event of
 * the message. Pure.
 */
import { notFound, refusal } from "../../../schemas/errors.ts"
import type { AnsweredByOwner, WrittenToOwners } from "../../../schemas/owner/operations.ts"
import type { DeliveredTo } from "../../../schemas/owner/records.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import type { Companion, Decision } from "../../engine/definition.ts"
import type { SealedWords, OwnerMessageEvent } from "../../owner/noun.ts"
import { missing, unlessSuspended } from "../decide.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import type { AgentEvent, AgentState } from "../state.ts"
import { answerIn } from "./state.ts"

export const noOwner = refusal("owner_none", "No human owns this agent: somebody has to declare it, and it confirms.")
export const noOwnerMessage = notFound("message")

export const ownersOf = (state: AgentState): ReadonlyArray<string> => [
  ...new Set(state === null ? [] : state.sponsors.flatMap(({ since, human }) => (since === null ? [] : [human])))
]

/** True if at least one confirmed owner has a verified address. */
export const hasProvenOwner = (state: AgentState): boolean =>
  state?.sponsors.some(({ since, verified }) => since !== null && verified) ?? false

/** The owner with a verified address who has been confirmed for the longest time; `null` if there is none. */
export const provenOwner = (state: AgentState): string | null => {
  const proven = (state?.sponsors ?? []).flatMap(({ since, verified, human, id }) =>
    since !== null && verified ? [{ since, human, id }] : []
  )
  const [first] = proven.toSorted((one, other) => one.since - other.since || one.id - other.id)
  return first?.human ?? null
}

export const isOwner = (state: AgentState, human: string): boolean => ownersOf(state).includes(human)

/** `number`: the number of the new message. */
export interface WriteFacts {
  readonly number: number
  readonly words: SealedWords
  readonly delivered_to: ReadonlyArray<DeliveredTo>
}

interface Deciding<Facts> {
  readonly id: string
  readonly facts: Facts
}

/** Stored as the commit's reply, so that a repeated request gets the same answer. */
export interface BegunRequest {
  readonly number: number
  readonly delivered_to: ReadonlyArray<DeliveredTo>
}

const begun = (number: number, event: OwnerMessageEvent): readonly [Companion] => [
  { kind: "owner_message", id: String(number), expected: 0, drawn: true, events: [event] }
]

export const decideWrite = unlessSuspended(
  (
    agent,
    { kind }: WrittenToOwners,
    { id, facts: { number, words, delivered_to } }: Deciding<WriteFacts>
  ): Decision<AgentEvent, BegunRequest> => {
    if (ownersOf(agent).length === 0) return { refused: noOwner }
    const written: OwnerMessageEvent = {
      type: "owner_message.written",
      v: 1,
      agent: id,
      human: null,
      kind,
      in_reply_to: null,
      delivered_to,
      ...words
    }
    return {
      events: [{ type: "agent.owner_written", v: 1, message: number }],
      reply: { number, delivered_to },
      companions: begun(number, written)
    }
  }
)

export type AnswerFacts = NoticeFacts & Pick<WriteFacts, "number" | "words">

/**
 * Decides on a message from an owner. The first answer to a message is the final one, but later answers reach the agent
 * too.
 */
export const decideAnswer = (
  state: AgentState,
  { human, message }: AnsweredByOwner,
  { id, facts: { number, words, notification } }: Deciding<AnswerFacts>
): Decision<AgentEvent, { readonly number: number }> => {
  if (state === null || state.status === "deleted" || state.status === "banned") return missing
  if (!isOwner(state, human)) return missing
  const written: OwnerMessageEvent = {
    type: "owner_message.written",
    v: 1,
    agent: id,
    human,
    kind: null,
    in_reply_to: message,
    delivered_to: [],
    ...words
  }
  const answered: ReadonlyArray<AgentEvent> =
    message === null || answerIn(state, message) !== null
      ? []
      : [{ type: "agent.owner_answered", v: 1, message, answer: number }]
  const path = `${API_PREFIX}/me/owner/messages`
  return {
    events: [
      ...answered,
      // The log has only the owner's id. Name and text are added when the notification is read
      // (schemas/notification/completed.ts).
      notified(notification, "owner.message", {
        message_id: number,
        owner: { human_id: human },
        in_reply_to: message,
        url: path,
        api_url: path
      })
    ],
    reply: { number },
    companions: begun(number, written)
  }
}

/** Decides on a message that the agent has read. The message's notification is marked as read too. */
export const decideSeen = (state: AgentState, { message }: { readonly message: number }): Decision<AgentEvent> => {
  if (state === null) return missing
  const told = state.owners.unread.find((one) => one.message === message)
  if (told === undefined) return { events: [] }
  const { notification } = told
  const marked: ReadonlyArray<AgentEvent> = state.unread.includes(notification)
    ? [{ type: "agent.notifications_read", v: 1, ids: [notification] }]
    : []
  return { events: [{ type: "agent.owner_message_seen", v: 1, message }, ...marked] }
}
