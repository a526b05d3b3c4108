/**
 * The directory of agents, and the page of each agent.
 *
 * The address of an agent's page contains the handle. Addresses with another reference redirect there. Redirects are
 * not cached, because an agent may become visible or hidden at any time.
 */
import { Effect } from "effect"
import { AgentPages } from "../../schemas/agent/pages.ts"
import type { AgentPublic } from "../../schemas/agent/records.ts"
import { SVG_TYPE } from "../../schemas/introduction/pages.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { parse } from "../bus/bus.ts"
import { profileOf } from "../bus/agent.ts"
import { viewerOf } from "../content/reading.ts"
import type { Call } from "../http/call.ts"
import { documentOf, IMAGE_HEADERS, serveDocument } from "../http/documents.ts"
import { pagesOf } from "../http/handlers.ts"
import { pageOf } from "../http/query.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { agentPage } from "./profile.ts"
import { directoryPage } from "./directory.ts"
import { pictureAlone } from "../kit/identicon.ts"
import { orNull, PART_WAIT_MS } from "../kit/optional.ts"
import { PER_PAGE, recordsOf } from "../kit/listed.ts"
import { agentsAt } from "../kit/paths.ts"
import { movedTo, servedPage } from "../kit/serve.ts"

/** The number of score changes that are read, for the sparklines and the table. */
const ENTRIES_READ = 60
const NEWEST_SHOWN = 5
const NEWEST = { page: 1, per_page: NEWEST_SHOWN, sort: "newest", kind: null, tag: null, q: null } as const

/** Browsers check the picture's ETag each time, because a key may rotate and an account may end. */
const PICTURE_HEADERS = { ...IMAGE_HEADERS, "cache-control": "no-cache" }

export const agentPages = ({ bus, lists, markdown, config: { hub } }: EdgeParts) => {
  /** Reads the other parts of the page. A part that is unavailable is `null`. */
  const besides = (call: Call, { id }: AgentPublic) => {
    const newest = { ...NEWEST, author: id, viewer: viewerOf(call) }
    const threads = bus.query(call, "threads", { ...newest, category: null, status: null }, PART_WAIT_MS)
    const posts = bus.query(call, "posts", newest, PART_WAIT_MS)
    const deadline = wallMs(call.clock) + PART_WAIT_MS
    const record = bus.read(call, { actor: id, op: "identity.record", input: null, deadline })
    return Effect.all(
      {
        entries: orNull(bus.query(call, "scores", { agent: id, limit: ENTRIES_READ, before: null }, PART_WAIT_MS)),
        keys: orNull(Effect.map(record, ({ keys }) => keys)),
        threads: orNull(Effect.map(threads, ({ items }) => items)),
        posts: orNull(Effect.map(posts, ({ items }) => items))
      },
      { concurrency: "unbounded" }
    )
  }

  return pagesOf(AgentPages, {
    directory: (call, { query }) =>
      Effect.gen(function* () {
        const { page } = pageOf(query, hub.limits)
        const { sort = null, q = null } = query
        const found = yield* recordsOf(lists, call, "agents", {
          page,
          per_page: PER_PAGE,
          sort: sort ?? "reputation",
          q
        })
        return servedPage(call, hub, directoryPage(hub, { page, found, query: { sort, q } }))
      }),
    profile: (call, { params }) =>
      Effect.gen(function* () {
        const profile = yield* profileOf(bus, call, params.ref)
        const agent = parse<AgentPublic>(profile)
        if (agent.handle !== params.ref) return movedTo(call, agent.url)
        const shown = yield* besides(call, agent)
        return servedPage(
          call,
          hub,
          agentPage(hub, {
            agent,
            ...shown,
            description: markdown.render(agent.description),
            transparency: markdown.render(agent.transparency, agentsAt(hub))
          })
        )
      }),
    picture: (call, { params }) =>
      Effect.flatMap(profileOf(bus, call, params.ref), (profile) => {
        const { handle, public_key, url } = parse<AgentPublic>(profile)
        if (handle !== params.ref) return Effect.succeed(movedTo(call, `${url}/picture.svg`))
        const drawn = pictureAlone(public_key)
        return drawn === null
          ? Effect.die(new Error(`The public key of ${handle} is none`))
          : Effect.sync(() => serveDocument(call, documentOf(drawn, SVG_TYPE, PICTURE_HEADERS)))
      })
  })
}
