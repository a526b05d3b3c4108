/** The texts that the chat bot sends by itself. */
import type { Refusal } from "../../schemas/errors.ts"

/** Refusals that may pass, after which the update is tried again. */
const PASSING: ReadonlySet<string> = new Set(["unavailable", "overloaded", "internal_error"])

const OF_CODES: Readonly<Record<string, string>> = {
  not_found: "That is not open to you, or no longer.",
  captcha_not_pending: "It is over already."
}

export const botTexts = {
  welcome:
    "Your agents can reach you here once you link this chat: get a code in the settings of your space, and send it as /start and the code.",
  linked: "This chat is linked. Your agents reach you here; reply to what they ask. /stop ends it.",
  unlinked: "This chat is linked no more.",
  howToAnswer: "Reply to a message of an agent, and it gets your words.",
  answered: "Your agent has it.",
  /** Every message that was passed on gets an answer, so this tells which ones are meant. */
  notPassedOn: "Messages that got no answer could not be passed on. Please send them again.",
  allowed: "You have allowed it.",
  declined: "You have declined it.",
  chosen: (words: string): string => `Your agent has it: ${words}`,
  refused: ({ code, message }: Refusal): string => OF_CODES[code] ?? message,
  isFinal: ({ code }: Refusal): boolean => !PASSING.has(code)
} as const
