/**
 * An author's claim on a text. Its id is the hash of the noun, the author and the parts of the text that count. The
 * same text twice within a day is refused (contract "Common").
 *
 * Invariants
 *  - A claim has no operations. It is written only in the commits that publish or remove the text. An actor that wants
 *    to claim a text first reads the claim's log. If two do so at the same time, the expected sequence lets only one of
 *    them write.
 *  - The log deletes a claim after a day. If the text is removed earlier, its claim is released.
 */
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { type Refusal, refusal, unavailable } from "../../schemas/errors.ts"
import { normalForm } from "../../schemas/legible.ts"
import type { Companion } from "../engine/definition.ts"
import { event, eventsOf } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import type { EventLog } from "../log/commit.ts"
import { subjects } from "../../schemas/subjects.ts"

const KEPT_SECONDS = 86_400
const HASH_HEX = 32

/** The content that claims the text; `null` if there is none. */
export const TextState = Schema.NullOr(Schema.Struct({ noun: Schema.String, id: Schema.Int }))
export type TextState = typeof TextState.Type

const NOBODYS: TextState = null

export const TextEvent = Schema.Union([
  event("text.claimed", 1, { noun: Schema.String, id: Schema.Int }),
  event("text.released", 1)
])
export type TextEvent = typeof TextEvent.Type

export const evolveText = (_state: TextState, event: TextEvent): TextState =>
  event.type === "text.claimed" ? { noun: event.noun, id: event.id } : null

const fold: Fold<ActorOf<TextState, TextEvent>> = {
  kind: "text",
  ends: true,
  state: TextState,
  initial: null,
  events: TextEvent,
  evolve: evolveText
}

export const textKind = kind(fold, {}, () => ({ keepSeconds: () => KEPT_SECONDS, operations: {} }))

/** The id of a text. Texts that differ only in Unicode normalization or white space have the same id. */
export const textOf = (noun: string, author: string, text: string): string => {
  const plain = normalForm(text, "NFC").trim().replaceAll(/\s+/gu, " ")
  return createHash("sha256").update(`${noun}\n${author}\n${plain}`).digest("hex").slice(0, HASH_HEX)
}

export interface TextClaim {
  readonly text: string
  readonly seq: number
  readonly held: TextState
}

export const claimOf = (log: Pick<EventLog, "last">, text: string): Effect.Effect<TextClaim, Refusal> =>
  Effect.tryPromise({
    try: async () => {
      const last = await log.last(subjects.event("text", text))
      if (last === null) return { text, seq: 0, held: null }
      return { text, seq: last.seq, held: eventsOf(TextEvent, last.commit).reduce(evolveText, NOBODYS) }
    },
    catch: () => unavailable("Earlier texts cannot be looked up at the moment.")
  })

export const duplicate = ({ noun, id }: NonNullable<TextState>): Refusal =>
  refusal("duplicate_content", `You have published the same text within a day: ${noun} ${id}.`, { existing_id: id })

const companion = ({ text, seq }: TextClaim, event: TextEvent): Companion => ({
  kind: "text",
  id: text,
  expected: seq,
  events: [event],
  keepSeconds: KEPT_SECONDS
})

export const claimed = (claim: TextClaim, noun: string, id: number): Companion =>
  companion(claim, { type: "text.claimed", v: 1, noun, id })

/** Releases the claim; empty if it has expired, or belongs to other content by now. */
export const released = (claim: TextClaim, noun: string, id: number): ReadonlyArray<Companion> =>
  claim.held?.noun === noun && claim.held.id === id ? [companion(claim, { type: "text.released", v: 1 })] : []
