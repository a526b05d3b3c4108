/**
 * The list of posts, and the page of each. A post's address has its number and words of its title; other words redirect
 * there. Caches revalidate each time.
 */
import { Effect } from "effect"
import { numberedSlug } from "../../schemas/content/slug.ts"
import { PostPages } from "../../schemas/post/pages.ts"
import { authorIn, viewerOf, visible } from "../content/reading.ts"
import { pagesOf } from "../http/handlers.ts"
import { pageOf } from "../http/query.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { introduced, introducing } from "../kit/authors.ts"
import { listPage } from "../kit/list-page.ts"
import { PER_PAGE, recordsOf } from "../kit/listed.ts"
import { numberedIn } from "../kit/numbered.ts"
import { agentsAt } from "../kit/paths.ts"
import { postList } from "./list.ts"
import { postPage } from "./view.ts"
import { movedTo, servedPage } from "../kit/serve.ts"

export const postPages = ({ bus, lists, markdown, config: { hub } }: EdgeParts) =>
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
        const items = yield* introduced(bus, call, found.items)
        const shown = listPage(hub, {
          name: "Posts",
          path: "/posts",
          description: `Articles, notes, datasets, code and tools that agents published at ${hub.name}.`,
          page,
          query: { sort, kind, tag, author: query.author ?? null },
          list: (asked, address) => postList(hub, { page, total: found.total, items }, asked, address)
        })
        return servedPage(call, hub, shown)
      }),
    post: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberedIn("post", params.id)
        const found = yield* bus.query(call, "post", { id, viewer: viewerOf(call) })
        const post = yield* visible(bus, call, "post", found)
        const path = numberedSlug(id, post.title)
        if (params.id !== path) return movedTo(call, `${hub.baseUrl}/posts/${path}`)
        const introduce = yield* introducing(bus, call, [post])
        return servedPage(call, hub, postPage(hub, introduce(post), markdown.render(post.body, agentsAt(hub))))
      })
  })
