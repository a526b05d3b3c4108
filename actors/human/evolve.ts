/** Folds a person's account from its events. Pure, and without opening sealed data. */
import type { FormerAccount } from "../../schemas/human/operations.ts"
import type { HumanRole } from "../../schemas/human/records.ts"
import type { AnswerContext } from "../engine/definition.ts"
import { evolveChat, NO_CHAT } from "./chat/state.ts"
import { evolvePush, NO_PUSH } from "./push/state.ts"
import { evolveRelay, NO_RELAY } from "./relay/state.ts"
import { loginsAfter } from "./logins.ts"
import { passkeysOf, rememberedOf } from "./decide-passkeys.ts"
import type { Human, HumanEvent, HumanState, LinkPurpose, Passkeys } from "./state.ts"

/** Larger than every limit, so no further letters need to be remembered. */
const LETTERS_MAX = 20

export const evolveHuman = (state: HumanState, event: HumanEvent, { at }: Pick<AnswerContext, "at">): HumanState => {
  if (event.type === "human.registered") return registered(event, at)
  if (state === null || state.status === "deleted") return state
  return event.type === "human.deleted" ? { status: "deleted" } : changed(state, event, at)
}

type Event<Type extends HumanEvent["type"]> = Extract<HumanEvent, { readonly type: Type }>

const NO_FORMER: FormerAccount = { made: [], verify_address: [], reset_password: [] }

const registered = (
  { personal, address, password, left, former = NO_FORMER }: Event<"human.registered">,
  at: number
): Human => ({
  status: "active",
  personal,
  address,
  email_verified: false,
  password,
  two_step: null,
  offered: null,
  sessions: [],
  opened: 0,
  links: [],
  letters: { verify_address: former.verify_address, reset_password: former.reset_password },
  sponsorships: [],
  made: former.made,
  ...(left === undefined ? {} : { left }),
  relay: NO_RELAY,
  chat: NO_CHAT,
  push: NO_PUSH,
  created_at: at
})

const changed = (
  human: Human,
  event: Exclude<HumanEvent, Event<"human.registered" | "human.deleted">>,
  at: number
): Human => {
  switch (event.type) {
    case "human.renamed":
      return { ...human, personal: event.personal }
    case "human.link_made":
      return linked(human, event, at)
    case "human.link_used":
      return { ...human, links: without(human, event.purpose) }
    case "human.address_confirmed":
      return { ...human, email_verified: true }
    case "human.password_changed":
      // A secret or a chat's code that was shown under the old password must not be used under the new one.
      return { ...human, password: event.password, offered: null, chat: { ...human.chat, offered: null } }
    case "human.password_renewed":
      return { ...human, password: event.password }
    case "human.two_step_offered":
      return { ...human, offered: event.sealed }
    case "human.two_step_enabled":
      return { ...human, offered: null, two_step: { sealed: event.sealed, left: event.left, step: event.step } }
    case "human.two_step_disabled":
      return { ...human, offered: null, two_step: null }
    case "human.step_used":
      return human.two_step === null ? human : { ...human, two_step: { ...human.two_step, step: event.step } }
    case "human.recovery_codes_changed":
      return human.two_step === null
        ? human
        : { ...human, two_step: { ...human.two_step, sealed: event.sealed, left: event.left } }
    case "human.passkey_added":
    case "human.passkey_used":
    case "human.passkey_removed":
      return { ...human, passkeys: passkeysAfter(passkeysOf(human), event, at) }
    case "human.session_opened":
      return opened(human, event, at)
    case "human.sessions_closed":
      return { ...human, sessions: human.sessions.filter(({ id }) => !event.sessions.includes(id)) }
    case "human.role_changed":
      return { ...human, roles: rolesAfter(human, event) }
    case "human.declared":
      return {
        ...human,
        sponsorships: withDeclared(human, event),
        made: event.made === true ? [...human.made, event.agent] : human.made
      }
    case "human.sponsorship_ended":
      return { ...human, sponsorships: withEnded(human, event.sponsorship) }
    case "human.relay_chosen":
    case "human.relayed":
    case "human.relay_held":
    case "human.relay_digested":
      return { ...human, relay: evolveRelay(human.relay, event, at) }
    case "human.chat_offered":
    case "human.chat_linked":
    case "human.chat_unlinked":
    case "human.chat_asked":
    case "human.chat_told":
      return { ...human, chat: evolveChat(human.chat, event, at) }
    case "human.push_subscribed":
    case "human.push_ended":
    case "human.push_told":
      return { ...human, push: evolvePush(human.push, event, at) }
  }
}

const rolesAfter = ({ roles = [] }: Human, { role, granted }: Event<"human.role_changed">): ReadonlyArray<HumanRole> =>
  granted ? [...new Set([...roles, role])] : roles.filter((one) => one !== role)

const passkeysAfter = (
  { last, kept, used }: Passkeys,
  event: Event<"human.passkey_added" | "human.passkey_used" | "human.passkey_removed">,
  at: number
): Passkeys => {
  if (event.type === "human.passkey_removed") return { last, kept: kept.filter(({ id }) => id !== event.passkey), used }
  const { passkey: id, sealed, challenge, until } = event
  const remembered = [...rememberedOf(used, at), { challenge, until }]
  return event.type === "human.passkey_added"
    ? { last: id, kept: [...kept, { id, sealed, added_at: at, used_at: null }], used: remembered }
    : { last, kept: kept.map((one) => (one.id === id ? { ...one, sealed, used_at: at } : one)), used: remembered }
}

/**
 * The number of ended sponsorships that are kept. It has room for the end of all open ones, and of as many that are
 * declared at the same time.
 */
const ENDED_MAX = 200

const withDeclared = (
  { sponsorships }: Human,
  { sponsorship: id, agent }: Event<"human.declared">
): Human["sponsorships"] => [...sponsorships.filter((one) => one.agent !== agent), { id, agent, open: true }]

/** Marks a sponsorship as ended. The ended ones come last, in the order of their ends. */
const withEnded = ({ sponsorships }: Human, sponsorship: number): Human["sponsorships"] => {
  const ended = sponsorships.find(({ id }) => id === sponsorship)
  if (ended === undefined) return sponsorships
  const others = sponsorships.filter((one) => one !== ended)
  const before = others.filter(({ open }) => !open).slice(-(ENDED_MAX - 1))
  return [...others.filter(({ open }) => open), ...before, { ...ended, open: false }]
}

const without = ({ links }: Human, purpose: LinkPurpose): Human["links"] =>
  links.filter((link) => link.purpose !== purpose)

const linked = (human: Human, { purpose, token, expires_at }: Event<"human.link_made">, at: number): Human => ({
  ...human,
  links: [...without(human, purpose), { purpose, token, expires_at }],
  letters: { ...human.letters, [purpose]: [...human.letters[purpose], at].slice(-LETTERS_MAX) }
})

const opened = (
  human: Human,
  { session, token, expires_at, browser, form, console, ...login }: Event<"human.session_opened">,
  at: number
): Human => {
  const more = {
    ...(browser === undefined ? {} : { browser }),
    ...(form === undefined ? {} : { form }),
    ...(console === undefined ? {} : { console })
  }
  const one = { id: session, token, opened_at: at, expires_at, ...more }
  const sessions = [...human.sessions.filter((each) => each.expires_at > at), one]
  const logins = loginsAfter(human.logins, login, at)
  return { ...human, opened: session, sessions, ...(logins === undefined ? {} : { logins }) }
}
