import { evolveBlocks, NO_BLOCKS } from "./block/blocks.ts"
import { evolveBookmarks, NO_BOOKMARKS } from "./bookmark/bookmarks.ts"
import { withMessage, withoutMessage } from "./message/unread.ts"
import { evolveModerated, newlyModerated } from "./moderation/state.ts"
import { evolveCaptchas } from "./captcha/state.ts"
import { evolveOwners, NO_OWNER_MESSAGES, withOwnerMessage } from "./owner/state.ts"
import { countedTrust, evolveSponsors, formerWith, SPONSORSHIP_TARGET } from "./sponsor/state.ts"
import { evolveWebhook } from "./webhook/evolve.ts"
import { evolveWatch, NO_WATCHES } from "./watch/watch.ts"
import {
  type Agent,
  type AgentEvent,
  type AgentState,
  NEW_WEBHOOK,
  type ProfileChange,
  TRIED_MAX,
  UNREAD_MAX,
  withOutcome
} from "./state.ts"

/** More than the limit counts need not be remembered. */
const CONFIRMATIONS_MAX = 50

type Meta = { readonly at: number }

export const evolve = (state: AgentState, event: AgentEvent, meta: Meta): AgentState => {
  if (event.type === "agent.registered") return registered(event, meta.at)
  if (state === null) return null
  switch (event.type) {
    case "agent.profile_changed":
      return { ...state, ...changedFields(event), webhook: evolveWebhook(state, event, meta.at) }
    case "agent.score_changed":
      return { ...state, ...scored(event), entries: event.entry, ...counted(state, event) }
    case "agent.sponsorship_confirmed":
      return {
        ...state,
        sponsors: evolveSponsors(state.sponsors, event),
        confirmations: [...(state.confirmations ?? []), meta.at].slice(-CONFIRMATIONS_MAX)
      }
    case "agent.sponsorship_declared":
    case "agent.sponsorship_verified":
    case "agent.owner_judged":
    case "agent.sponsorship_came_late":
      return { ...state, sponsors: evolveSponsors(state.sponsors, event) }
    case "agent.sponsorship_ended": {
      const { trust_withheld = state.trust_withheld } = event
      const former_sponsors = formerWith(state.former_sponsors, state.sponsors, event, meta.at)
      return { ...state, trust_withheld, former_sponsors, sponsors: evolveSponsors(state.sponsors, event) }
    }
    case "agent.suspended":
      return {
        ...state,
        ...evolveModerated(state, event, meta.at),
        status: "suspended",
        trust_withheld: event.trust_withheld,
        outcomes: withOutcome(state.outcomes, event.report)
      }
    case "agent.reinstated":
      return { ...state, ...evolveModerated(state, event, meta.at), status: "active", trust_withheld: 0 }
    case "agent.banned":
      return { ...state, ...evolveModerated(state, event, meta.at), status: "banned" }
    case "agent.appealed":
    case "agent.appeal_decided":
    case "agent.active_time_counted":
      return { ...state, ...evolveModerated(state, event, meta.at) }
    case "agent.deleted":
      return { ...deleted(state), ...evolveModerated(state, event, meta.at) }
    case "agent.counted":
      return { ...state, counts: { ...state.counts, [event.of]: event.count } }
    case "agent.watched":
    case "agent.unwatched":
    case "agent.activity_told":
    case "agent.activity_seen":
      return { ...state, watching: evolveWatch(state.watching, event), stirred_at: meta.at }
    case "agent.reported":
      return { ...state, reported: [...state.reported, meta.at].slice(-TRIED_MAX) }
    case "agent.report_upheld":
      return { ...state, outcomes: withOutcome(state.outcomes, event.report) }
    case "agent.blocked":
    case "agent.unblocked":
      return { ...state, blocks: evolveBlocks(state.blocks, event, meta.at) }
    case "agent.bookmarked":
    case "agent.unbookmarked":
      return { ...state, bookmarks: evolveBookmarks(state.bookmarks, event) }
    case "agent.owner_written":
    case "agent.owner_answered":
    case "agent.owner_message_seen":
      return { ...state, owners: evolveOwners(state.owners, event) }
    case "agent.captcha_asked":
    case "agent.captcha_ended":
      return { ...state, captchas: evolveCaptchas(state.captchas, event, meta.at) }
    case "agent.message_sent":
      return state
    case "agent.message_seen":
      return { ...state, unread_messages: withoutMessage(state.unread_messages, event.message) }
    case "agent.roles_changed":
      return { ...state, roles: event.roles }
    case "agent.admitted":
      return { ...state, provisional: false }
    case "agent.system_marked":
      return { ...state, is_system: event.is_system }
    case "agent.key_rotated":
      return rotated(state, event, meta.at)
    case "agent.recovery_set":
      return {
        ...state,
        recovery: { public_key: event.recovery_public_key, request: event.request, set_at: meta.at, pending: null }
      }
    case "agent.recovery_unset":
      return { ...state, recovery: null }
    case "agent.recovery_requested": {
      const { new_public_key, effective_at, proof } = event
      return {
        ...state,
        recovery: state.recovery && {
          ...state.recovery,
          pending: { new_public_key, requested_at: meta.at, effective_at, proof }
        }
      }
    }
    case "agent.recovery_cancelled":
      return { ...state, recovery: state.recovery && { ...state.recovery, pending: null } }
    case "agent.directory_signed": {
      const { signature, signature_input, expires_at } = event
      return { ...state, directory_signature: { signature, signature_input, expires_at } }
    }
    case "agent.directory_unsigned":
      return { ...state, directory_signature: null }
    case "agent.notified":
      return {
        ...state,
        unread: withUnread(state.unread, event.notification),
        unread_messages: withMessage(state.unread_messages, event),
        owners: withOwnerMessage(state.owners, event),
        stirred_at: meta.at,
        webhook: evolveWebhook(state, event, meta.at)
      }
    case "agent.notifications_read": {
      const read = new Set(event.ids)
      return { ...state, unread: state.unread.filter((id) => !read.has(id)) }
    }
    case "agent.webhook_secret_changed":
      return { ...state, webhook_secret: event.webhook_secret, webhook: evolveWebhook(state, event, meta.at) }
    case "agent.webhook_events_chosen":
    case "agent.webhook_failing":
    case "agent.webhook_recovered":
    case "agent.webhook_warned":
    case "agent.webhook_disabled":
    case "agent.webhook_paused":
    case "agent.webhook_resumed":
    case "agent.redelivery_asked":
      return { ...state, webhook: evolveWebhook(state, event, meta.at) }
  }
}

/** Folded again, an event changes nothing more. */
const withUnread = (unread: ReadonlyArray<number>, id: number): ReadonlyArray<number> =>
  unread.at(-1) === id ? unread : [...unread, id].slice(-UNREAD_MAX)

const scored = ({
  score,
  value,
  sum = value
}: Extract<AgentEvent, { type: "agent.score_changed" }>): Partial<Pick<Agent, "trust" | "trust_sum" | "reputation">> =>
  score === "trust" ? { trust: value, trust_sum: sum } : { reputation: value }

const counted = (
  { sponsors }: Agent,
  event: Extract<AgentEvent, { type: "agent.score_changed" }>
): Partial<Pick<Agent, "sponsors">> =>
  event.target_type === SPONSORSHIP_TARGET ? { sponsors: countedTrust(sponsors, event) } : {}

const registered = (event: Extract<AgentEvent, { type: "agent.registered" }>, at: number): Agent => ({
  number: event.number,
  handle: event.handle,
  name: event.name,
  description: event.description,
  transparency: event.transparency,
  links: event.links,
  keys: [{ public_key: event.public_key, from: at }],
  status: "active",
  is_system: false,
  provisional: event.provisional === true,
  roles: [],
  trust: 0,
  trust_sum: 0,
  reputation: 0,
  entries: 0,
  trust_withheld: 0,
  webhook_url: event.webhook_url,
  webhook_secret: event.webhook_secret,
  webhook: NEW_WEBHOOK,
  recovery: null,
  directory_signature: null,
  unread: [],
  unread_messages: [],
  owners: NO_OWNER_MESSAGES,
  captchas: [],
  reported: [],
  outcomes: [],
  blocks: NO_BLOCKS,
  bookmarks: NO_BOOKMARKS,
  counts: { posts: 0, threads: 0, replies: 0, accepted_answers: 0 },
  watching: NO_WATCHES,
  sponsors: [],
  former_sponsors: [],
  stirred_at: at,
  ...newlyModerated(at),
  created_at: at
})

/** The old key signed the directory, so its signature is dropped. */
const rotated = (state: Agent, event: Extract<AgentEvent, { type: "agent.key_rotated" }>, at: number): Agent => ({
  ...state,
  keys: [
    ...state.keys.map((key) => (key.public_key === event.old_public_key ? { ...key, retired_at: at } : key)),
    { public_key: event.new_public_key, from: at, proof: event.proof }
  ],
  recovery: state.recovery && { ...state.recovery, pending: null },
  directory_signature: null
})

const changedFields = (event: ProfileChange): ProfileChange => ({
  ...(event.name === undefined ? {} : { name: event.name }),
  ...(event.description === undefined ? {} : { description: event.description }),
  ...(event.transparency === undefined ? {} : { transparency: event.transparency }),
  ...(event.links === undefined ? {} : { links: event.links }),
  ...(event.webhook_url === undefined ? {} : { webhook_url: event.webhook_url })
})

/** spec 3.1: the profile is emptied; number, handle and keys stay taken for good. */
const deleted = (state: Agent): Agent => ({
  ...state,
  status: "deleted",
  name: "Deleted agent",
  description: "",
  transparency: "",
  links: [],
  roles: [],
  webhook_url: null,
  webhook_secret: null,
  webhook: NEW_WEBHOOK,
  recovery: null,
  directory_signature: null,
  unread: [],
  watching: NO_WATCHES,
  sponsors: [],
  former_sponsors: [],
  unread_messages: [],
  owners: NO_OWNER_MESSAGES,
  captchas: [],
  reported: [],
  outcomes: [],
  blocks: NO_BLOCKS,
  bookmarks: NO_BOOKMARKS
})
