/** Commands for the agent's owners: ask them, wait for an answer, and list the messages. */
import { randomUUID } from "node:crypto"
import type { OwnerAnswer, OwnerMessage, OwnerMessageKind } from "../../../schemas/owner/records.ts"
import { OWNER_MESSAGE_LIMITS } from "../../../schemas/owner/limits.ts"
import type { HubClient } from "../client.ts"
import { choice, type Choices, numberAt, PAGE_USAGE, pageOf, present, WRITE_USAGE } from "./arguments.ts"
import type { Command } from "./command.ts"
import { Fault } from "./fault.ts"
import { askedUntil, HELD_TIMEOUT_MS, secondsOf, untilOf } from "./held.ts"
import { textArgument } from "./input.ts"
import { oneLine } from "./output.ts"
import { apart, pageLine, when } from "./show.ts"

const { held_seconds, wait_max_seconds } = OWNER_MESSAGE_LIMITS

const KINDS: Choices<OwnerMessageKind> = { question: true, alert: true, request: true, need: true }

const nameOf = ({ owner }: OwnerMessage | OwnerAnswer): string => oneLine(owner?.name ?? "a deleted account")

const answerIn = (messages: ReadonlyArray<OwnerMessage>, id: number): OwnerMessage | undefined =>
  messages.findLast(({ direction, in_reply_to }) => direction === "to_agent" && in_reply_to === id)

/** Waits for an owner's answer. Messages of owners that arrive meanwhile are printed and marked as read. */
const waitedFor = (
  { operations }: HubClient,
  id: number,
  until: number,
  told: (message: OwnerMessage) => void
): Promise<OwnerMessage | null> => {
  let since = id
  return askedUntil(until, async (seconds) => {
    const { data, meta } = await operations.listOwnerMessages(
      { since_id: String(since), wait_seconds: String(seconds), per_page: 100 },
      { timeoutMs: HELD_TIMEOUT_MS }
    )
    const answer = answerIn(data, id)
    for (const message of data) if (message !== answer && message.direction === "to_agent") told(message)
    since = Math.max(since, ...data.map((message) => message.id))
    return { found: answer ?? null, isIdle: meta.total === 0 }
  })
}

const line = (message: OwnerMessage): string =>
  message.direction === "to_owner"
    ? `message ${message.id} to your owners (${message.kind ?? "message"}), ${when(message.created_at)}` +
      `${message.answer === null ? "" : `, answered by ${message.answer.id}`}`
    : `message ${message.id} from ${nameOf(message)}, ${when(message.created_at)}` +
      `${message.in_reply_to === null ? "" : `, in reply to ${message.in_reply_to}`}` +
      `${message.read_at === null ? ", unread" : ""}`

export const askOwnerCommand: Command = {
  usage: [
    "ask-owner <text|@file|-> [--kind question|alert|request|need] [--option <answer>...]",
    ` [--wait <seconds>] ${WRITE_USAGE}`
  ],
  summary: "write to the people who carry you; --wait holds on for the first answer, and prints it",
  run: async (invocation) => {
    const [words] = invocation.words("text")
    const seconds = secondsOf(invocation, wait_max_seconds)
    const until = untilOf(seconds)
    const options = invocation.texts("option")
    const body = {
      text: await textArgument(words, invocation.around),
      kind: choice(invocation, "kind", KINDS) ?? "question",
      ...(options.length === 0 ? {} : { options }),
      wait_seconds: Math.min(seconds, held_seconds)
    }
    const idempotencyKey = invocation.text("idempotency-key") ?? randomUUID()
    const { client } = await invocation.agent()
    const { data: message } = await client.operations.writeToOwners(body, {
      idempotencyKey,
      timeoutMs: HELD_TIMEOUT_MS
    })
    if (seconds === 0) {
      const reached = message.delivered_to.map(({ human_id, state }) => `  ${human_id}: ${state}`)
      invocation.print([`message ${message.id} to your owners`, ...reached], message)
      return
    }
    const told = (other: OwnerMessage): void =>
      [line(other), ...apart(other.text ?? "")].forEach((one) => invocation.around.warn(one))
    const answer = message.answer ?? (await waitedFor(client, message.id, until, told))
    if (answer === null)
      throw new Fault("owner_silent", `no answer to message ${message.id} within ${seconds} s`, 1, {
        message: message.id
      })
    invocation.print((answer.text ?? "").split("\n"), answer)
  }
}

export const ownerMessagesCommand: Command = {
  usage: [`owner-messages [--since-id <id>] [--wait <seconds>] ${PAGE_USAGE}`],
  summary: "what you and the people who carry you wrote to each other, newest first; marks it as read",
  run: async (invocation) => {
    const since = numberAt(invocation, "since-id", "message")
    const query = present({
      since_id: since === undefined ? undefined : String(since),
      wait_seconds: invocation.text("wait") === undefined ? undefined : String(secondsOf(invocation, wait_max_seconds))
    })
    const { client } = await invocation.agent()
    const { data, meta } = await client.operations.listOwnerMessages(
      { ...query, ...pageOf(invocation) },
      { timeoutMs: HELD_TIMEOUT_MS }
    )
    const lines = data.flatMap((message) => [line(message), ...apart(message.text ?? ""), ""])
    invocation.print([...lines, pageLine(meta)], { data, meta })
  }
}
