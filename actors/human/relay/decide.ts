/**
 * Pure decisions on news that a person also gets by letter, chat or push.
 *
 * Invariants
 *  - The number of letters in any window is limited. Further events are held, and reported together in one summary
 *    letter once there is room. That letter names each kind of event with a count. Once the counts reach
 *    `relay_held_max`, further events of a held kind add no commits.
 *  - While an event is held, a timer is set, and later events are held too, so that they keep their order. This does
 *    not apply to the three groups below, which have separate limits.
 *  - Security events have their own limits, so that events of strangers do not delay them. Beyond those limits they are
 *    held like everything else.
 *  - Requests of an agent have their own limits too, because an answer may be needed within minutes. In the chat and in
 *    browsers these are limits of an hour and of a day, because each message adds a letter to the log.
 *  - Each new owner is reported immediately in a separate letter, which has the link to object (contract 22). The
 *    number that an agent may confirm in an hour is limited (`confirmed_owners`).
 *  - Held events are sent, unless the account is deleted or can get no letter at that time. The command of a timer that
 *    fires early is refused, and the timer is set again.
 */
import { unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import {
  CHANNELS,
  type Choice,
  DIGEST,
  isAsked,
  isSecurity,
  OWNER_CONFIRMED,
  relayedEvent
} from "../../../schemas/relay/events.ts"
import type { Relayed } from "../../../schemas/relay/operations.ts"
import type { RateLimit } from "../../../schemas/limit/bucket.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import { type DecideContext, firing } from "../../engine/definition.ts"
import { absent, type Decided, isActive, type Posted } from "../decide.ts"
import type { Human, HumanEvent, HumanState } from "../state.ts"
import { hasPlace, type News } from "./room.ts"
import { type About, choiceOf, heldCount, isHeld, OTHERS } from "./state.ts"

export const DIGEST_TIMER = "digest"

type RelayLimits = Pick<
  Limits["limits"]["owner"],
  | "relay_letters"
  | "relay_chat"
  | "relay_push"
  | "relay_asked"
  | "relay_asked_daily"
  | "relay_held_max"
  | "relay_security"
  | "relay_max_age_seconds"
  | "later_owner_seconds"
>

const TOO_EARLY = { refused: unavailable("The letter is not due yet.") }
const NOTHING = { events: [] }

/** True for an event that is recent enough to be sent. A new owner is reported as long as somebody may object. */
export const isFresh = (
  { event, at: happened }: Pick<Relayed, "event" | "at">,
  at: number,
  { relay_max_age_seconds, later_owner_seconds }: RelayLimits
): boolean => at - happened <= (event === OWNER_CONFIRMED ? later_owner_seconds : relay_max_age_seconds) * 1000

/** Unix ms at which there is room for one more letter; `at` itself if there is room now. */
const roomAt = (letters: ReadonlyArray<number>, at: number, { requests, window_seconds }: RateLimit): number => {
  const windowMs = window_seconds * 1000
  const inWindow = letters.filter((sent) => sent > at - windowMs)
  const first = inWindow[inWindow.length - requests]
  return first === undefined ? at : first + windowMs
}

const agentsOf = ({ sponsorships }: Human): number => sponsorships.filter(({ open }) => open).length

/** True if an event may have a separate letter now. */
const hasRoom = (human: Human, about: About, at: number, limits: RelayLimits): boolean => {
  const { security_letters = [], asked_letters = [], letters, due } = human.relay
  if (about.event === OWNER_CONFIRMED) return true
  if (isSecurity(about.event)) return hasPlace(security_letters, about, at, limits.relay_security, agentsOf(human))
  if (isAsked(about.event)) return hasPlace(asked_letters, about, at, limits.relay_letters, agentsOf(human))
  return due === null && roomAt(letters, at, limits.relay_letters) <= at
}

/** The messages for each channel; `null` or empty for a channel that is not used. */
export interface RelayFacts {
  readonly letter: Posted | null
  readonly chat: Posted | null
  readonly push: ReadonlyArray<Posted>
}

interface LatestNews {
  readonly told: News
  readonly told_security?: News
  readonly told_asked?: News
}

/** True if the chat, or the browsers, may get one more message. */
export const hasRoomBy = (
  way: "chat" | "push",
  human: Human,
  about: About,
  at: number,
  { relay_chat, relay_push, relay_security, relay_asked, relay_asked_daily }: RelayLimits
): boolean => {
  const { told, told_security = [], told_asked = [] }: LatestNews = human[way]
  const hasPlaceIn = (news: News, ...limits: ReadonlyArray<RateLimit>): boolean =>
    limits.every((limit) => hasPlace(news, about, at, limit, agentsOf(human)))
  if (about.event === OWNER_CONFIRMED) return true
  if (isAsked(about.event)) return hasPlaceIn(told_asked, relay_asked, relay_asked_daily)
  if (isSecurity(about.event)) return hasPlaceIn(told_security, relay_security)
  return hasPlaceIn(told, way === "chat" ? relay_chat : relay_push)
}

const together = (...all: ReadonlyArray<Posted>): Posted => ({
  companions: all.flatMap(({ companions = [] }) => companions),
  timers: all.flatMap(({ timers = [] }) => timers)
})

export const decideRelay = (
  state: HumanState,
  { agent, event }: Relayed,
  { at, facts: { letter, chat, push } }: DecideContext<RelayFacts>,
  limits: RelayLimits
): Decided => {
  if (!isActive(state)) return NOTHING
  const about = { agent, event }
  const inChat = chat !== null && hasRoomBy("chat", state, about, at, limits) ? chat : null
  const inBrowsers = hasRoomBy("push", state, about, at, limits) ? push : []
  const byLetter = letter === null ? null : letterOrHeld(state, about, at, letter, limits)
  const told: ReadonlyArray<HumanEvent> =
    inChat === null || isAsked(event) ? [] : [{ type: "human.chat_told", v: 1, agent, event }]
  const asked: ReadonlyArray<HumanEvent> =
    inChat !== null && isAsked(event) ? [{ type: "human.chat_asked", v: 1, agent, event }] : []
  const pushed: ReadonlyArray<HumanEvent> =
    inBrowsers.length === 0 ? [] : [{ type: "human.push_told", v: 1, agent, event }]
  return {
    events: [...(byLetter?.events ?? []), ...told, ...asked, ...pushed],
    ...together(...[byLetter?.posted, inChat, ...inBrowsers].filter((one) => one !== null && one !== undefined))
  }
}

/** True if `relay_held_max` events are held and this kind is among them, so that the event is not counted any more. */
const isUncounted = ({ held }: Human["relay"], about: About, { relay_held_max }: RelayLimits): boolean =>
  heldCount(held) >= relay_held_max && isHeld(held, about)

/** The letter, or the record that the event is held because there is no room. */
const letterOrHeld = (
  human: Human,
  { agent, event }: About,
  at: number,
  letter: Posted,
  limits: RelayLimits
): { readonly events: ReadonlyArray<HumanEvent>; readonly posted: Posted } => {
  const { relay } = human
  if (hasRoom(human, { agent, event }, at, limits))
    return { events: [{ type: "human.relayed", v: 1, agent, event }], posted: letter }
  if (isUncounted(relay, { agent, event }, limits)) return { events: [], posted: {} }
  const due = relay.due ?? Math.max(at, roomAt(relay.letters, at, limits.relay_letters))
  return {
    events: [{ type: "human.relay_held", v: 1, agent, event, due }],
    posted: relay.due === null ? { timers: [{ name: DIGEST_TIMER, at: due }] } : {}
  }
}

/**
 * Decides on a letter that is sent later than it was counted. It is counted again, or held for a summary letter. A
 * summary letter is sent in any case, because nothing else names its events.
 */
export const decideAgain = (
  state: HumanState,
  about: About,
  { at }: Pick<DecideContext<unknown>, "at">,
  limits: RelayLimits
): Decided<{ readonly room: boolean }> => {
  if (!isActive(state)) return { events: [], reply: { room: false } }
  if (about.event === DIGEST.event)
    return { events: [{ type: "human.relayed", v: 1, ...OTHERS }], reply: { room: true } }
  const { events, posted } = letterOrHeld(state, about, at, {}, limits)
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

type Chosen = Omit<Choice, "push"> & { readonly event: string; readonly push?: boolean }

/** Only choices that differ from the default are stored, so that a later default applies to all who did not choose. */
export const decideChoose = (state: HumanState, { choices }: { readonly choices: ReadonlyArray<Chosen> }): Decided => {
  if (!isActive(state)) return absent
  const kept = choices.flatMap(({ event, email, chat, push = choiceOf(state.relay, event).push }) => {
    const [known, choice] = [relayedEvent(event), { email, chat, push }]
    if (known === null || CHANNELS.every((channel) => known.byDefault[channel] === choice[channel])) return []
    return [[event, choice] as const]
  })
  return { events: [{ type: "human.relay_chosen", v: 1, choices: Object.fromEntries(kept) }] }
}
