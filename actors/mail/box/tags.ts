/**
 * Tags that expire or can be ended. Pure, except for the random numbers.
 *
 * Invariants
 *  - The log has a tag as a keyed hash (mark) and as sealed text. Neither reveals anything without the mailbox's key.
 *  - An ended tag is refused, unless it is created again. The mark of an ended tag is remembered if an agent chose the
 *    tag; the number of chosen tags is limited. A random tag needs no memory: it has a signature, so one that is signed
 *    and not in the list has ended.
 */
import { randomInt } from "node:crypto"
import { aboveMax, notFound, type Refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { Decision } from "../../engine/definition.ts"
import type { Sealer } from "../../log/seal.ts"
import { noMailbox } from "./decide.ts"
import type { MailboxEvent, MailboxState, MailboxValue } from "./state.ts"
import { withoutExpiredTags } from "./tag-state.ts"

const RANDOM_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
/** 60 random bits, and a signature of 32 bits. */
const RANDOM_CHARS = 12
const SIGN_CHARS = 8
const DRAWN = /^([a-z2-7]{12})([0-9a-f]{8})$/
/** Characters of a mark, enough that no two tags of a mailbox share one. */
const MARK_CHARS = 24

export const markTag = (sealer: Sealer, tag: string): string => sealer.mark(tag, "tag").slice(0, MARK_CHARS)
export const sealTag = (sealer: Sealer, tag: string): string => sealer.seal(tag, "tag")
export const openTag = (sealer: Sealer, sealed: string): string => sealer.open(sealed, "tag")

const signOf = (sealer: Sealer, random: string): string => sealer.mark(random, "drawn tag").slice(0, SIGN_CHARS)

export const generateTag = (sealer: Sealer): string => {
  const random = Array.from(
    { length: RANDOM_CHARS },
    () => RANDOM_ALPHABET[randomInt(RANDOM_ALPHABET.length)] ?? ""
  ).join("")
  return `${random}${signOf(sealer, random)}`
}

/** True if this mailbox's key signed the tag, even if the tag was created again. */
export const isGeneratedTag = (sealer: Sealer, tag: string): boolean => {
  const [, random = "", sign = ""] = DRAWN.exec(tag) ?? []
  return random !== "" && signOf(sealer, random) === sign
}

const hasEnded = (box: MailboxValue, sealer: Sealer, tag: string, at: number): boolean => {
  const { tags, ended } = withoutExpiredTags(box, at)
  const mark = markTag(sealer, tag)
  return ended.includes(mark) || (isGeneratedTag(sealer, tag) && !tags.some((one) => one.mark === mark))
}

/** True also for a tag with a longer suffix: `x+y` counts as `x`, because its sender was given `x`. */
export const isOver = (box: MailboxValue, sealer: Sealer, tag: string, at: number): boolean =>
  tag.split("+").some((_part, index, all) => hasEnded(box, sealer, all.slice(0, index + 1).join("+"), at))

export interface TagFacts {
  readonly mark: string
  readonly sealed: string
  readonly drawn: boolean
}

const NO_TAG: { readonly refused: Refusal } = { refused: notFound("tag") }
const tooMany = (max: number, what: string): { readonly refused: Refusal } => ({
  refused: aboveMax("tag", `A mailbox ${what} at most ${max} tags.`, max)
})

type TagLimits = Pick<Limits["limits"]["email"], "tags_per_mailbox" | "tags_chosen_max">

export const decideMakeTag = (
  state: MailboxState,
  { agent, expires_in_seconds }: { readonly agent: string; readonly expires_in_seconds: number | null },
  { at, facts: { mark, sealed, drawn } }: { readonly at: number; readonly facts: TagFacts },
  { tags_per_mailbox, tags_chosen_max }: TagLimits
): Decision<MailboxEvent, { readonly mark: string }> => {
  if (state === null || state.agent !== agent || state.status !== "active") return noMailbox
  const { tags, ended } = withoutExpiredTags(state, at)
  const others = tags.filter((one) => one.mark !== mark)
  if (others.length >= tags_per_mailbox) return tooMany(tags_per_mailbox, "has")
  const chosen = others.filter((one) => !one.drawn).length + ended.filter((one) => one !== mark).length
  if (!drawn && chosen >= tags_chosen_max) return tooMany(tags_chosen_max, "remembers")
  const expires_at = expires_in_seconds === null ? null : at + expires_in_seconds * 1000
  return {
    events: [{ type: "mailbox.tag_made", v: 1, agent, mark, sealed, drawn, expires_at }],
    reply: { mark }
  }
}

export const decideEndTag = (
  state: MailboxState,
  { agent }: { readonly agent: string },
  { at, facts: mark }: { readonly at: number; readonly facts: string }
): Decision<MailboxEvent, null> => {
  if (state === null || state.agent !== agent || state.status !== "active") return noMailbox
  if (!withoutExpiredTags(state, at).tags.some((one) => one.mark === mark)) return NO_TAG
  return { events: [{ type: "mailbox.tag_ended", v: 1, agent, mark }] }
}
