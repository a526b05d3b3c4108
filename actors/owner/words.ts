/**
 * Reads the texts of owners' messages. Processes that answer queries have no keys, so they ask processes that do
 * (`owner_words`).
 */
import { type Clock, Effect } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { WORDS_ASKED_MAX } from "../../schemas/owner/operations.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import { QueryRefused } from "../queries/refused.ts"
import type { WordsOf } from "../queries/serve.ts"

const ABREAST = 16
const ASK_DEADLINE_MS = 3000

const decoder = new TextDecoder()

/** The query `owner_words`, answered by nodes that have the keys. */
export const wordsQuery = (
  clock: Clock.Clock,
  ask: (ask: Ask) => Promise<Answer>,
  newId: () => string
): ((input: Queries["owner_words"]["input"]) => Promise<Queries["owner_words"]["output"]>) => {
  const wordsOf = async (message: number) => {
    const deadline = wallMs(clock) + ASK_DEADLINE_MS
    const asked = { kind: "owner_message", actor: String(message), op: "owner_message.words", input: null, deadline }
    const { head, body } = await ask({ id: newId(), ...asked })
    if (head.refused?.code === "not_found") return []
    if (head.refused !== undefined) throw new QueryRefused(head.refused)
    const { text }: { readonly text: string | null } = JSON.parse(decoder.decode(body))
    return text === null ? [] : [{ id: message, text }]
  }
  return async ({ messages }) => {
    const wanted = [...new Set(messages)].slice(0, WORDS_ASKED_MAX)
    const found: Array<{ readonly id: number; readonly text: string }> = []
    for (let from = 0; from < wanted.length; from += ABREAST)
      found.push(...(await Promise.all(wanted.slice(from, from + ABREAST).map(wordsOf))).flat())
    return found
  }
}

type AskWords = (messages: ReadonlyArray<number>) => Effect.Effect<Queries["owner_words"]["output"], Refusal>

/** Asks for at most WORDS_ASKED_MAX messages at a time. Rejects with `QueryRefused`. */
export const wordsBy =
  (ask: AskWords): WordsOf =>
  async (messages) => {
    const wanted = [...new Set(messages)]
    const known = new Map<number, string>()
    for (let from = 0; from < wanted.length; from += WORDS_ASKED_MAX) {
      const found = await Effect.runPromise(Effect.result(ask(wanted.slice(from, from + WORDS_ASKED_MAX))))
      if (found._tag === "Failure") throw new QueryRefused(found.failure)
      for (const { id, text } of found.success) known.set(id, text)
    }
    return known
  }
