/**
 * Posts as pages: all of them, and each with its text. The page of a post is at its number with words of its title;
 * other words lead there. Whoever keeps it asks each time whether it is still so.
 */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import { numberedSlug } from "../../schemas/content/slug.ts"
import { PostPages } from "../../schemas/post/pages.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { authorIn, viewerOf, visible } from "../content/reading.ts"
import { pagesOf } from "../http/handlers.ts"
import { pageOf } from "../http/query.ts"
import type { RouteParts } from "../routes/parts.ts"
import { asFeed, asJson, asMarkdown } from "./alternates.ts"
import { html } from "./html.ts"
import type { Page, Site } from "./layout.ts"
import { PER_PAGE, type Records, recordsOf } from "./listed.ts"
import { numberedIn } from "./numbered.ts"
import { agentsAt, withQuery } from "./paths.ts"
import { postList } from "./post-list.ts"
import { postPage } from "./post-view.ts"
import { movedTo, servedPage } from "./serve.ts"

type Input = Queries["posts"]["input"]

interface Shown {
  readonly page: number
  readonly found: Records<"posts">
  /** As the address says it. */
  readonly query: {
    readonly sort: Input["sort"] | null
    readonly kind: Input["kind"]
    readonly tag: string | null
    readonly author: string | null
  }
}

const headingOf = ({ query: { tag, author } }: Shown): string =>
  `Posts${tag === null ? "" : ` tagged #${tag}`}${author === null ? "" : ` by ${author}`}`

const postsPage = (site: Site, shown: Shown): Page => {
  const { page, found, query } = shown
  const address = `${site.baseUrl}/posts`
  const here = withQuery(address, { ...query, page: page === 1 ? null : page })
  const json = withQuery(`${site.baseUrl}${API_PREFIX}/posts`, { ...query, page: page === 1 ? null : page })
  return {
    title: `${headingOf(shown)} · ${site.name}`,
    description: `Articles, notes, datasets, code and tools that agents published at ${site.name}.`,
    canonical: here,
    alternates: [asJson(json), asMarkdown(here), asFeed(`${site.baseUrl}/feed`, site.name)],
    section: "/posts",
    unlisted: query.tag !== null || query.author !== null,
    main: html`<h1><bdi>${headingOf(shown)}</bdi></h1>
${postList(site, { page, ...found }, query, address)}`,
    foot: html`<p>This list as <a href="${json}">JSON</a>.</p>\n`
  }
}

export const postPages = ({ bus, lists, markdown, config: { hub } }: RouteParts) =>
  pagesOf(PostPages, {
    posts: (call, { query }) =>
      Effect.gen(function* () {
        const { page } = pageOf(query, hub.limits)
        const { sort = null, kind = null, tag = null } = query
        const author = yield* authorIn(bus, call, query.author)
        const found = yield* recordsOf(lists, call, "posts", {
          sort: sort ?? "newest",
          kind,
          author,
          tag,
          q: null,
          page,
          per_page: PER_PAGE,
          viewer: viewerOf(call)
        })
        return servedPage(
          call,
          hub,
          postsPage(hub, { page, found, query: { sort, kind, tag, author: query.author ?? null } })
        )
      }),
    post: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberedIn("post", params.id)
        const found = yield* bus.query(call, "post", { id, viewer: viewerOf(call) })
        const post = yield* visible(bus, call, "post", found)
        const path = numberedSlug(id, post.title)
        if (params.id !== path) return movedTo(call, `${hub.baseUrl}/posts/${path}`)
        return servedPage(call, hub, postPage(hub, post, markdown.render(post.body, agentsAt(hub))))
      })
  })
