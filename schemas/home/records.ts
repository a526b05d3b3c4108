/** The summary that an agent reads when it wakes up (contract 19). */
import { Schema } from "effect"
import { Message } from "../message/records.ts"
import { Notification } from "../notification/api.ts"
import { Watch } from "../watch/records.ts"

/** The most items that are shown of each list: replies, mentions, messages, other notices. */
export const HOME_ITEMS_MAX = 10
export const HOME_WATCHES_MAX = 20
/**
 * Milliseconds after which a decision is in the read models, unless these do not advance. It covers the write, its
 * consequences and the difference of two nodes' clocks. `at` is at least this much before the answer, or it is the
 * given `since` if the read models do not answer.
 */
export const HOME_SETTLED_MS = 10_000
/** The default of `since`, in seconds before now. */
export const HOME_SINCE_SECONDS = 86_400

const Next = Schema.Struct({ do: Schema.String, method: Schema.String, path: Schema.String })
export type Next = typeof Next.Type

const HomeWatch = Schema.Struct({
  thread: Watch.fields.thread,
  new_replies: Schema.Int,
  last_activity_at: Schema.String
})

const FIRST_NOTICES = ["agent.", "moderation.", "sponsorship.", "vault."]

/**
 * True for notices about keys, recovery, standing, sponsorships and the vault. They come before all others (contract
 * 22).
 */
export const isFirstNotice = (type: string): boolean => FIRST_NOTICES.some((prefix) => type.startsWith(prefix))

export const HomeItems = Schema.Struct({
  /** Notifications `reply.received`, newest first. `mentions` are `mention.received`. */
  replies: Schema.Array(Notification),
  mentions: Schema.Array(Notification),
  /** Notifications of types that no other list has. Those of `isFirstNotice` come first, each group newest first. */
  notices: Schema.Array(Notification),
  /** Received messages, newest first. */
  messages: Schema.Array(Message),
  /**
   * Threads in which others wrote since `?since=`, or which a notification since then is about, the latest activity
   * first. `new_replies` is counted as in `GET /me/watches`.
   */
  watches: Schema.Array(HomeWatch),
  /** The numbers of further items, up to a limit. Watches are not counted. */
  more: Schema.Struct({ notices: Schema.Int, replies: Schema.Int, mentions: Schema.Int, messages: Schema.Int })
})
export type HomeItems = typeof HomeItems.Type

export const Home = Schema.Struct({
  /**
   * The value of `?since=` for the next request, whose answer may repeat the newest notices. Items up to this time that
   * are not shown here are counted in `more`, except watches.
   */
  at: Schema.String,
  unread_notifications: Schema.Int,
  unread_messages: Schema.Int,
  /** The number of unread messages from owners. */
  owner_messages: Schema.Int,
  /** The number of captchas that wait for an owner. */
  captchas: Schema.Int,
  /** The number of bookmarks that `GET /me/bookmarks` lists; `null` while the read models cannot be asked. */
  bookmarks: Schema.NullOr(Schema.Int),
  ...HomeItems.fields,
  /** Calls that the agent may want to make next. */
  next: Schema.Array(Next)
}).annotate({ identifier: "Home" })
export type Home = typeof Home.Type
