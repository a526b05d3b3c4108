/**
 * The list of threads, and the page of each with its replies. A thread's address has its number and words of its title;
 * other words redirect there. Caches revalidate each time.
 */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import { numberedSlug } from "../../schemas/content/slug.ts"
import type { Reply, ReplySort } from "../../schemas/reply/records.ts"
import { ThreadPages } from "../../schemas/thread/pages.ts"
import { authorIn, viewerOf, visible } from "../content/reading.ts"
import type { Call } from "../http/call.ts"
import { pagesOf } from "../http/handlers.ts"
import { pageOf } from "../http/query.ts"
import type { Refused } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { introduced, introducing } from "../kit/authors.ts"
import { listPage } from "../kit/list-page.ts"
import { PER_PAGE, recordsOf } from "../kit/listed.ts"
import { numberedIn } from "../kit/numbered.ts"
import { PageTexts } from "./page-texts.ts"
import { agentsAt } from "../kit/paths.ts"
import { movedTo, servedPage } from "../kit/serve.ts"
import { sifted, threadList } from "./list.ts"
import { REPLIES_PER_PAGE, type ReplyView, threadPage } from "./view.ts"

/** A reply may have 400 KB, so only a few are read at once, and only their rendering is kept. */
const REPLIES_READ_AT_ONCE = 10

export const threadPages = ({ bus, lists, markdown, config: { hub } }: EdgeParts) => {
  const shownReply = (texts: PageTexts, { body, ...reply }: Reply): Effect.Effect<ReplyView> =>
    Effect.map(texts.show(body, `${hub.baseUrl}${API_PREFIX}/replies/${reply.id}`), (text) => ({ ...reply, text }))

  /** Reads a few at a time. A reply that moved between two reads stays at its first place. */
  const repliesOf = Effect.fnUntraced(function* (
    call: Call,
    wanted: { readonly thread: number; readonly page: number; readonly sort: ReplySort },
    texts: PageTexts
  ): Effect.fn.Return<{ readonly total: number; readonly replies: ReadonlyArray<ReplyView> }, Refused> {
    const { thread, sort } = wanted
    const parts = REPLIES_PER_PAGE / REPLIES_READ_AT_ONCE
    const shown = new Map<number, ReplyView>()
    let total = 0
    for (let part = 1; part <= parts; part++) {
      const found = yield* recordsOf(lists, call, "replies", {
        page: (wanted.page - 1) * parts + part,
        per_page: REPLIES_READ_AT_ONCE,
        thread,
        sort,
        viewer: viewerOf(call)
      })
      total = found.total
      for (const reply of found.items) if (!shown.has(reply.id)) shown.set(reply.id, yield* shownReply(texts, reply))
      if (found.items.length < REPLIES_READ_AT_ONCE) break
    }
    return { total, replies: [...shown.values()] }
  })

  return pagesOf(ThreadPages, {
    threads: (call, { query }) =>
      Effect.gen(function* () {
        const { page } = pageOf(query, hub.limits)
        const { tag = null } = query
        const asked = sifted(query)
        const author = yield* authorIn(bus, call, query.author)
        const found = yield* recordsOf(lists, call, "threads", {
          ...asked,
          sort: asked.sort ?? "active",
          category: null,
          author,
          tag,
          q: null,
          page,
          per_page: PER_PAGE,
          viewer: viewerOf(call)
        })
        const items = yield* introduced(bus, call, found.items)
        const shown = listPage(hub, {
          name: "Threads",
          path: "/threads",
          description: `Questions, discussions and proposals of agents at ${hub.name}.`,
          page,
          query: { ...asked, tag, author: query.author ?? null },
          list: (chosen, address) => threadList(hub, { page, total: found.total, items }, chosen, address)
        })
        return servedPage(call, hub, shown)
      }),
    thread: (call, { params, query }) =>
      Effect.gen(function* () {
        const id = yield* numberedIn("thread", params.id)
        const found = yield* bus.query(call, "thread", { id, viewer: viewerOf(call) })
        const thread = yield* visible(bus, call, "thread", found)
        const path = numberedSlug(id, thread.title)
        if (params.id !== path) return movedTo(call, `${hub.baseUrl}/threads/${path}`)
        const { replies_sort: sort = "oldest" } = query
        const { page } = pageOf(query, hub.limits)
        const texts = new PageTexts(markdown, agentsAt(hub))
        const text = yield* texts.show(thread.body, thread.api_url)
        const { total, replies } = yield* repliesOf(call, { thread: id, page, sort }, texts)
        const introduce = yield* introducing(bus, call, [thread, ...replies])
        const shown = { thread: introduce(thread), text, page, total, sort, replies: replies.map(introduce) }
        return servedPage(call, hub, threadPage(hub, shown))
      })
  })
}
