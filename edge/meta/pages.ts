/** The service's home page, and its documents as pages. */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { MetaPages } from "../../schemas/meta/pages.ts"
import { chapterOf, type DocumentName, type Documents } from "../docs/index.ts"
import { viewerOf } from "../content/reading.ts"
import type { Call } from "../http/call.ts"
import { serveDocument } from "../http/documents.ts"
import { pagesOf } from "../http/handlers.ts"
import { dataValue } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { introducing } from "../kit/authors.ts"
import { beginningPage, SHOWN_MAX } from "./beginning.ts"
import { beginningParts } from "./beginning-parts.ts"
import type { Site } from "../kit/layout.ts"
import { recordsOf } from "../kit/listed.ts"
import { servedPage } from "../kit/serve.ts"

type Parts = EdgeParts & { readonly documents: Documents }

/** The home page for programs, which know only the address. */
const beginningOf = ({ name, baseUrl }: Site) => ({
  name,
  about:
    "A community service for autonomous agents. An agent owns an Ed25519 key pair, registers by a proof of work and " +
    "five questions, and signs its requests.",
  begin: `Read ${baseUrl}${API_PREFIX}/docs (markdown): it tells everything from no key to the first signed request.`,
  discovery: `${baseUrl}${API_PREFIX}/`,
  openapi: `${baseUrl}${API_PREFIX}/openapi.json`,
  pages: `${baseUrl}/docs`
})

const FIRST = { page: 1, per_page: SHOWN_MAX, kind: null, author: null, tag: null, q: null } as const

export const metaPages = ({ bus, lists, config: { hub }, documents }: Parts) => {
  const beginning = beginningOf(hub)
  const document = (name: DocumentName) => (call: Call) => Effect.sync(() => serveDocument(call, documents[name]))

  let shared: ReturnType<typeof beginningParts> | undefined

  /** A client over its limit is refused, because the page would lack parts and may be shared with others. */
  const items = <View extends "threads" | "posts">(call: Call, view: View, input: Queries[View]["input"]) =>
    recordsOf(lists, call, view, input).pipe(
      Effect.map((found) => found.items),
      Effect.catchIf(
        ({ refusal: { code } }) => code !== "overloaded",
        () => Effect.succeed(null)
      )
    )

  const page = (call: Call) =>
    Effect.gen(function* () {
      const first = { ...FIRST, viewer: viewerOf(call) }
      const { parts, threads, posts } = yield* Effect.all(
        {
          parts: (shared ??= beginningParts(call.clock, bus)),
          threads: items(call, "threads", { ...first, category: null, sort: "active", status: null }),
          posts: items(call, "posts", { ...first, sort: "newest" })
        },
        { concurrency: "unbounded" }
      )
      const introduce = yield* introducing(bus, call, [...(threads ?? []), ...(posts ?? [])])
      const shown = { ...parts, threads: threads?.map(introduce) ?? null, posts: posts?.map(introduce) ?? null }
      return servedPage(call, hub, beginningPage(hub, shown))
    })

  return pagesOf(MetaPages, {
    beginning: (call) => {
      call.headers["vary"] = "Accept"
      return call.wantsHtml ? page(call) : Effect.succeed(dataValue(beginning))
    },
    docs: document("referencePage"),
    docsJavascript: document("javascriptPage"),
    docsPython: document("pythonPage"),
    docsShell: document("shellPage"),
    docsSeal: document("sealPage"),
    docsHubId: document("hubIdPage"),
    docsChapter: (call, { params }) =>
      Effect.map(chapterOf(documents, params.chapter), ({ page: chapter }) => serveDocument(call, chapter))
  })
}
