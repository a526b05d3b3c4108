/** Decisions on a person's chat. Pure. */
import { type Refusal, refusal } from "../../../schemas/errors.ts"
import type { Companion, DecideContext } from "../../engine/definition.ts"
import type { ChatClaimEvent } from "../../chat/noun.ts"
import { absent, type Decided, isActive, type Posted } from "../decide.ts"
import type { NewToken } from "../../kit/tokens.ts"
import type { HumanState } from "../state.ts"

const codeInvalid = refusal("token_invalid", "This code was used, or a newer one has replaced it.")
const codeExpired = refusal("token_expired", "The time of this code is over. Get another one in your settings.")
export const chatTaken: Refusal = refusal("token_invalid", "This chat is linked to another account: send /stop first.")
export const noChat: Refusal = refusal("not_found", "This chat is not linked.")

/** `shown`: the code, sealed for the answer. */
export interface OfferFacts {
  readonly code: Pick<NewToken, "hash">
  readonly shown: string
}

export const decideOffer = (
  state: HumanState,
  { at, facts: { code, shown } }: DecideContext<OfferFacts>,
  linkSeconds: number
): Decided<{ readonly shown: string }> => {
  if (!isActive(state)) return absent
  const expires_at = at + linkSeconds * 1000
  return { events: [{ type: "human.chat_offered", v: 1, code: code.hash, expires_at }], reply: { shown } }
}

/** `claimed`: the sequence of the claim on the chat. */
export interface LinkFacts {
  readonly chat: string
  readonly sealed: string
  readonly claimed: number
  readonly posted: Posted
}

/** The refusal if a code cannot link the chat; `null` if it can. */
export const codeRefusal = (state: HumanState, code: string, at: number): Refusal | null => {
  const offered = isActive(state) ? state.chat.offered : null
  if (offered?.code !== code) return codeInvalid
  return offered.expires_at > at ? null : codeExpired
}

export const decideLink = (
  state: HumanState,
  { code }: { readonly code: string },
  { id, at, facts: { chat, sealed, claimed, posted } }: DecideContext<LinkFacts>
): Decided => {
  const refused = codeRefusal(state, code, at)
  if (refused !== null) return { refused }
  const claim: ChatClaimEvent = { type: "chat.claimed", v: 1, human: id }
  const { companions = [], timers = [] } = posted
  const claimant: Companion = { kind: "chat", id: chat, expected: claimed, events: [claim] }
  return { events: [{ type: "human.chat_linked", v: 1, chat, sealed }], companions: [claimant, ...companions], timers }
}

export const decideUnlink = (state: HumanState, { chat }: { readonly chat: string | null }): Decided => {
  if (!isActive(state) || state.chat.linked === null) return { events: [] }
  if (chat !== null && state.chat.linked.chat !== chat) return { events: [] }
  return { events: [{ type: "human.chat_unlinked", v: 1 }] }
}
