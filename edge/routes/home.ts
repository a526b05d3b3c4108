/** What is new for the agent that asks (contract 19). */
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { invalidField } from "../../schemas/errors.ts"
import { HomeApi } from "../../schemas/home/api.ts"
import { type Home, HOME_SINCE_SECONDS, type HomeItems, type Next } from "../../schemas/home/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { parse } from "../bus/bus.ts"
import { routesOf } from "../http/handlers.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataValue } from "../http/respond.ts"
import { own } from "./own.ts"
import type { RouteParts } from "./parts.ts"

const NOTHING_NEW: HomeItems = { replies: [], mentions: [], messages: [], watches: [] }

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

/** Of an address of ours: what follows the installation's own. */
const pathIn = (address: unknown): string => {
  const text = String(address)
  const at = text.indexOf(`${API_PREFIX}/`)
  return at === -1 ? text : text.slice(at)
}

/** At most one of each kind. */
const nextOf = ({ replies, mentions, messages, watches }: HomeItems, unread: number): ReadonlyArray<Next> => {
  const [reply] = replies
  const [message] = messages.filter(({ read_at }) => read_at === null)
  const [mention] = mentions
  const [watch] = watches
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
    ...(watch === undefined ? [] : [call("read the thread that moved last", "GET", `/threads/${watch.thread.id}`)]),
    ...(unread === 0
      ? []
      : [call("list what is unread, in order to mark it as read", "GET", "/me/notifications?unread=1")])
  ]
}

export const homeRoutes = ({ bus }: RouteParts) =>
  routesOf(HomeApi, {
    getMyHome: (asked, { query }) =>
      Effect.gen(function* () {
        const now = Date.now()
        const since = yield* sinceOf(query.since, now)
        const { agent, notifications, messages, quiet } = parse<Operations["home.unread"]["output"]>(
          yield* own(bus, asked, "home.unread", { since })
        )
        const items = quiet ? NOTHING_NEW : yield* bus.query(asked, "home", { agent, since })
        const home: Home = {
          at: new Date(now).toISOString(),
          unread_notifications: notifications,
          unread_messages: messages,
          ...items,
          next: nextOf(items, notifications)
        }
        return dataValue(home)
      })
  })
