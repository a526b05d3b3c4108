/**
 * Decisions on what reaches a person by letter. Pure.
 *
 * Invariants
 *  - At most so many letters in any window: what is more is held, and told in one letter once there is room, which
 *    counts as one.
 *  - While something is held everything else is held too, so that nothing overtakes it, and a timer is set.
 *  - Security events have limits of their own: whatever strangers send, they are told at once. Beyond those limits they
 *    are held like everything else.
 *  - What was held is told or the account is gone: a timer that fires early comes again.
 */
import { unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import {
  CAPTCHA_ASKED,
  type Choice,
  CONSENT_ASKED,
  isSecurity,
  OWNER_ASKED,
  OWNER_CONFIRMED,
  relayedEvent
} from "../../../schemas/relay/events.ts"
import type { Relayed } from "../../../schemas/relay/operations.ts"
import type { RateLimit } from "../../../schemas/limit/bucket.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import { type DecideContext, firing } from "../../engine/definition.ts"
import { absent, type Decided, isActive, type Posted } from "../decide.ts"
import type { HumanEvent, HumanState } from "../state.ts"
import { OTHERS, type RelayState } from "./state.ts"

export const DIGEST_TIMER = "digest"

type RelayLimits = Pick<
  Limits["limits"]["owner"],
  "relay_letters" | "relay_chat" | "relay_security" | "relay_max_age_seconds" | "later_owner_seconds"
>

const TOO_EARLY = { refused: unavailable("The letter is not due yet.") }
const NOTHING = { events: [] }

/** True for an event that is recent enough to be told. A new owner is told for as long as somebody may object. */
export const isFresh = (
  { event, at: happened }: Pick<Relayed, "event" | "at">,
  at: number,
  { relay_max_age_seconds, later_owner_seconds }: RelayLimits
): boolean => at - happened <= (event === OWNER_CONFIRMED ? later_owner_seconds : relay_max_age_seconds) * 1000

/** When there is room for one more letter; `at` itself where there is. Unix ms. */
const roomAt = (letters: ReadonlyArray<number>, at: number, { requests, window_seconds }: RateLimit): number => {
  const windowMs = window_seconds * 1000
  const inWindow = letters.filter((sent) => sent > at - windowMs)
  const first = inWindow[inWindow.length - requests]
  return first === undefined ? at : first + windowMs
}

/** Whether a letter of its own tells of an event now. */
const hasRoom = (relay: RelayState, event: string, at: number, limits: RelayLimits): boolean =>
  isSecurity(event)
    ? roomAt(relay.security_letters ?? [], at, limits.relay_security) <= at
    : relay.due === null && roomAt(relay.letters, at, limits.relay_letters) <= at

/** What would be sent, by each way; `null`: by that way nothing is told of it. */
export interface RelayFacts {
  readonly letter: Posted | null
  readonly chat: Posted | null
}

/** Asked for by the agent itself, which has limits of its own. */
const ASKED: ReadonlySet<string> = new Set([OWNER_ASKED, CAPTCHA_ASKED, CONSENT_ASKED])
const isAsked = (event: string): boolean => ASKED.has(event)

/** Whether there is room for one more in the chat. */
const mayChat = (state: HumanState, event: string, at: number, limits: RelayLimits): boolean => {
  if (!isActive(state)) return false
  if (isAsked(event)) return true
  const security = isSecurity(event)
  const { requests, window_seconds } = security ? limits.relay_security : limits.relay_chat
  const told = security ? (state.chat.told_security ?? []) : state.chat.told
  return told.filter((one) => one > at - window_seconds * 1000).length < requests
}

const together = (...all: ReadonlyArray<Posted>): Posted => ({
  also: all.flatMap(({ also = [] }) => also),
  timers: all.flatMap(({ timers = [] }) => timers)
})

export const decideRelay = (
  state: HumanState,
  { agent, event }: Relayed,
  { at, facts: { letter, chat } }: DecideContext<RelayFacts>,
  limits: RelayLimits
): Decided => {
  if (!isActive(state)) return NOTHING
  const inChat = chat === null || !mayChat(state, event, at, limits) ? null : chat
  const byLetter = letter === null ? null : letterOrHeld(state.relay, { agent, event }, at, letter, limits)
  const told: ReadonlyArray<HumanEvent> =
    inChat === null || isAsked(event) ? [] : [{ type: "human.chat_told", v: 1, agent, event }]
  const asked: ReadonlyArray<HumanEvent> =
    inChat !== null && isAsked(event) ? [{ type: "human.chat_asked", v: 1, agent, event }] : []
  return {
    events: [...(byLetter?.events ?? []), ...told, ...asked],
    ...together(...(byLetter === null ? [] : [byLetter.posted]), ...(inChat === null ? [] : [inChat]))
  }
}

/** The letter, where there is room for it. */
const letterOrHeld = (
  relay: RelayState,
  { agent, event }: Pick<Relayed, "agent" | "event">,
  at: number,
  letter: Posted,
  limits: RelayLimits
): { readonly events: ReadonlyArray<HumanEvent>; readonly posted: Posted } => {
  if (hasRoom(relay, event, at, limits))
    return { events: [{ type: "human.relayed", v: 1, agent, event }], posted: letter }
  const due = relay.due ?? Math.max(at, roomAt(relay.letters, at, limits.relay_letters))
  return {
    events: [{ type: "human.relay_held", v: 1, agent, event, due }],
    posted: relay.due === null ? { timers: [{ name: DIGEST_TIMER, at: due }] } : {}
  }
}

/** A letter that is sent later than it was counted: once more it is, or it becomes one of those that are told together. */
export const decideAgain = (
  state: HumanState,
  { at }: Pick<DecideContext<unknown>, "at">,
  limits: RelayLimits
): Decided<{ readonly room: boolean }> => {
  if (!isActive(state)) return { events: [], reply: { room: false } }
  const { events, posted } = letterOrHeld(state.relay, OTHERS, at, {}, limits)
  return { events, ...posted, reply: { room: events.some(({ type }) => type === "human.relayed") } }
}

export const decideDigest = (
  state: HumanState,
  fired: FiredTimer,
  { at, facts: { letter } }: DecideContext<Pick<RelayFacts, "letter">>
): Decided => {
  if (!isActive(state) || state.relay.due === null) return NOTHING
  const now = firing(fired, state.relay.due, at)
  if (now === "early") return TOO_EARLY
  return now === "another" ? NOTHING : { events: [{ type: "human.relay_digested", v: 1 }], ...letter }
}

type Chosen = Choice & { readonly event: string }

/** Only what differs from its default is kept: a default that changes later changes for whoever left it. */
export const decideChoose = (state: HumanState, { choices }: { readonly choices: ReadonlyArray<Chosen> }): Decided => {
  if (!isActive(state)) return absent
  const kept = choices.flatMap(({ event, email, chat }) => {
    const known = relayedEvent(event)
    if (known === null || (known.byDefault.email === email && known.byDefault.chat === chat)) return []
    return [[event, { email, chat }] as const]
  })
  return { events: [{ type: "human.relay_chosen", v: 1, choices: Object.fromEntries(kept) }] }
}
