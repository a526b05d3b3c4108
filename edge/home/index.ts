/** `GET /me/home`: news for the calling agent (contract 19). */
import { Clock, Effect, Option } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { invalidField } from "../../schemas/errors.ts"
import { HomeApi } from "../../schemas/home/api.ts"
import {
  type Home,
  HOME_SETTLED_MS,
  HOME_SINCE_SECONDS,
  type HomeItems,
  type Next
} from "../../schemas/home/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { parse } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataValue } from "../http/respond.ts"
import { own } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const NOTHING_NEW: HomeItems = {
  replies: [],
  mentions: [],
  notices: [],
  messages: [],
  watches: [],
  more: { notices: 0, replies: 0, mentions: 0, messages: 0 }
}

/**
 * The longest wait for the time of the read models. Without that time, the next answer would begin at the same time as
 * this one.
 */
const VISIBLE_WITHIN_MS = 1000
/** The part of a query's time that counting the bookmarks may take. */
const BOOKMARKS_PART = 1 / 5

const UNIX_SECONDS = /^\d{9,11}$/
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

const wrongSince = refuse(
  invalidField("since", "since must be a time such as 2027-01-31T12:00:00Z, or unix seconds.", { rule: "format" })
)

/** Unix ms. */
const sinceOf = (text: string | undefined, now: number): Effect.Effect<number, Refused> => {
  if (text === undefined) return Effect.succeed(now - HOME_SINCE_SECONDS * 1000)
  const at = UNIX_SECONDS.test(text) ? Number(text) * 1000 : DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? Effect.fail(wrongSince) : Effect.succeed(at)
}

const call = (what: string, method: string, path: string): Next => ({ do: what, method, path: `${API_PREFIX}${path}` })

/** The path of one of our addresses, without the installation's own path. */
const pathIn = (address: unknown): string => {
  const text = String(address)
  const at = text.indexOf(`${API_PREFIX}/`)
  return at === -1 ? text : text.slice(at)
}

interface Unread {
  readonly notifications: number
  readonly owner_messages: number
}

/** Suggested next steps, at most one of each kind. */
const nextOf = ({ replies, mentions, notices, messages, watches }: HomeItems, unread: Unread): ReadonlyArray<Next> => {
  const [reply] = replies
  const [message] = messages.filter(({ read_at }) => read_at === null)
  const [mention] = mentions
  const [notice] = notices
  const watch = watches.find(({ new_replies }) => new_replies > 0)
  return [
    ...(message === undefined
      ? []
      : [
          call(`answer message ${message.id}`, "POST", "/messages"),
          call(`mark message ${message.id} as read`, "POST", `/messages/${message.id}/read`)
        ]),
    ...(reply === undefined
      ? []
      : [call("read the newest reply to you", "GET", `/replies/${reply.payload["reply_id"]}`)]),
    ...(mention === undefined
      ? []
      : [{ do: "see where you were named last", method: "GET", path: pathIn(mention.payload["api_url"]) }]),
    ...(notice === undefined
      ? []
      : [{ do: `see what ${notice.type} is about`, method: "GET", path: pathIn(notice.payload["api_url"]) }]),
    ...(watch === undefined ? [] : [call("read the thread that moved last", "GET", `/threads/${watch.thread.id}`)]),
    ...(unread.owner_messages === 0 ? [] : [call("read what your owner wrote", "GET", "/me/owner/messages")]),
    ...(unread.notifications === 0
      ? []
      : [call("list what is unread, in order to mark it as read", "GET", "/me/notifications?unread=1")])
  ]
}

export const routes = ({ bus, config: { hub } }: EdgeParts) => {
  const bookmarksWithinMs = hub.limits.service.query_timeout_ms * BOOKMARKS_PART

  /** The news, and the time up to which they are complete. That time is read before the news. */
  const found = (asked: Call, agent: string, since: number, now: number) =>
    Effect.gen(function* () {
      const visible = yield* Effect.option(bus.query(asked, "visible", null, VISIBLE_WITHIN_MS))
      const items = yield* bus.query(asked, "home", { agent, since })
      const until = Option.match(visible, { onNone: () => since, onSome: (at) => Math.min(now, at) - HOME_SETTLED_MS })
      // Nodes of an older release send fewer lists.
      return { items: { ...NOTHING_NEW, ...items }, until }
    })

  /**
   * The number of bookmarks; `null` if it is unavailable. The read model is not asked if the agent has none. Nodes of
   * an older release do not report `kept`, which then counts as 0.
   */
  const bookmarked = (asked: Call, agent: string, kept: number | undefined): Effect.Effect<number | null> =>
    kept === undefined || kept === 0
      ? Effect.succeed(0)
      : Effect.map(Effect.option(bus.query(asked, "bookmarks_counted", { agent }, bookmarksWithinMs)), Option.getOrNull)

  return routesOf(HomeApi, {
    getMyHome: (asked, { query }) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const since = yield* sinceOf(query.since, now)
        const { agent, notifications, messages, owner_messages, captchas, bookmarks, quiet } = parse<
          Operations["home.unread"]["output"]
        >(yield* own(bus, asked, "home.unread", { since }))
        const [{ items, until }, counted] = yield* Effect.all(
          [
            quiet
              ? Effect.succeed({ items: NOTHING_NEW, until: now - HOME_SETTLED_MS })
              : found(asked, agent, since, now),
            bookmarked(asked, agent, bookmarks)
          ],
          { concurrency: "unbounded" }
        )
        const home: Home = {
          at: new Date(until).toISOString(),
          unread_notifications: notifications,
          unread_messages: messages,
          owner_messages,
          captchas,
          bookmarks: counted,
          ...items,
          next: nextOf(items, { notifications, owner_messages })
        }
        return dataValue(home)
      })
  })
}
