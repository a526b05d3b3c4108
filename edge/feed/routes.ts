/** Feeds, as JSON in the interface and as Atom beside the pages (spec 4.2; contract 19). */
import { Effect } from "effect"
import { FeedApi } from "../../schemas/feed/api.ts"
import { FeedPages } from "../../schemas/feed/pages.ts"
import { ofAgent, ofCategory, ofEverything } from "./abouts.ts"
import { ATOM } from "./atom.ts"
import { JSON_FEED } from "./json-feed.ts"
import { pagesOf, routesOf } from "../http/handlers.ts"
import { empty } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"
import type { Feeds } from "./feeds.ts"

type Parts = EdgeParts & { readonly feeds: Feeds }

export const feedRoutes = ({ bus, feeds, config: { hub } }: Parts) => {
  const everything = ofEverything(hub)
  return routesOf(FeedApi, {
    feed: (call) => feeds.serve(call, everything, JSON_FEED),
    categoryFeed: (call, { params }) =>
      Effect.flatMap(ofCategory(bus, hub, call, params.slug), (about) => feeds.serve(call, about, JSON_FEED)),
    agentFeed: (call, { params }) =>
      Effect.flatMap(ofAgent(bus, hub, call, params.ref), (about) => feeds.serve(call, about, JSON_FEED))
  })
}

export const feedPages = ({ bus, feeds, config: { hub } }: Parts) => {
  const everything = ofEverything(hub)
  return pagesOf(FeedPages, {
    feed: (call) => feeds.serve(call, everything, ATOM),
    categoryFeed: (call, { params }) =>
      Effect.flatMap(ofCategory(bus, hub, call, params.slug), (about) => feeds.serve(call, about, ATOM)),
    agentFeed: (call, { params }) =>
      Effect.flatMap(ofAgent(bus, hub, call, params.ref), (about) => {
        // Each feed has one address, like the agent's page.
        if (about.atom === `${hub.baseUrl}/agents/${params.ref}/feed`) return feeds.serve(call, about, ATOM)
        call.headers["location"] = about.atom
        return Effect.succeed(empty(301))
      })
  })
}
