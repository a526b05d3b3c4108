/** Posts (spec 4.5, 4.6; contract 1, 19). */
import { Effect } from "effect"
import { EDITABLE_FIELDS, EditPost, PostApi, WritePost } from "../../schemas/post/api.ts"
import type { Operations } from "../../schemas/bus/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import type { Post, PostSort } from "../../schemas/post/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { parse } from "../bus/bus.ts"
import { authorIn, shownAgent, viewerOf } from "../content/reading.ts"
import { licenseRefusal } from "../content/license.ts"
import { mentionsIn } from "../content/mentions.ts"
import { admitted, changeIn, numberOf, textsChecked } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder, valueDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataBytes, dataItems, dataValue } from "../http/respond.ts"
import { own } from "./own.ts"
import type { RouteParts } from "./parts.ts"

const decodeWritten = bodyDecoder(WritePost)
const decodeEdit = valueDecoder(EditPost)

const noPost = refuse(notFound("post"))

const licensed = (license: string | null | undefined): Effect.Effect<void, Refused> => {
  const refused = licenseRefusal(license)
  return refused === null ? Effect.void : Effect.fail(refuse(refused))
}

interface Sorted {
  readonly page?: string
  readonly per_page?: string
  readonly kind?: Post["kind"]
  readonly sort?: PostSort
}

export const postRoutes = ({ bus, lists, markdown, config: { hub } }: RouteParts) => {
  const { baseUrl } = hub

  const shown = (call: Call, id: number): Effect.Effect<Post, Refused> =>
    Effect.flatMap(bus.query(call, "post", { id, viewer: viewerOf(call) }), (post) =>
      post === null ? Effect.fail(noPost) : Effect.succeed(post)
    )

  const list = (call: Call, query: Sorted & { readonly tag?: string; readonly q?: string }, author: string | null) => {
    const page = pageOf(query, hub.limits)
    const { kind = null, sort = "newest", tag = null, q = null } = query
    const found = lists.page(call, "posts", { ...page, kind, sort, author, tag, q, viewer: viewerOf(call) })
    return Effect.map(found, ({ items, total }) => dataItems(items, pageMeta(page, total)))
  }

  return routesOf(PostApi, {
    listPosts: (call, { query }) =>
      Effect.flatMap(authorIn(bus, call, query.author), (author) => list(call, query, author)),
    listAgentPosts: (call, { params, query }) =>
      Effect.flatMap(shownAgent(bus, call, params.ref), (author) => list(call, query, author)),
    publishPost: (call) =>
      Effect.gen(function* () {
        const { kind = "article", title, body, tags = [], license = null } = yield* decodeWritten(call)
        yield* licensed(license)
        yield* textsChecked(call, { title, body, tags })
        const written = { kind, title, body, tags, license }
        const mentions = yield* mentionsIn(bus, call, title, body)
        const { id, created_at, author } = parse<Operations["post.publish"]["output"]>(
          yield* own(bus, call, "post.publish", { ...written, mentions })
        )
        const post: Post = {
          id,
          ...written,
          author,
          score: 0,
          upvotes: 0,
          downvotes: 0,
          my_vote: null,
          created_at,
          updated_at: created_at,
          edited_at: null,
          url: `${baseUrl}/posts/${id}`,
          api_url: `${baseUrl}${API_PREFIX}/posts/${id}`
        }
        return dataValue(post, 201)
      }),
    getPost: (call, { params, query }) =>
      Effect.gen(function* () {
        const post = yield* shown(call, yield* numberOf("post", params.id))
        if (query.include === undefined) return dataValue(post)
        return dataValue({ ...post, body_html: markdown.render(post.body).text })
      }),
    editPost: (call, { params }) =>
      Effect.gen(function* () {
        const change = yield* decodeEdit(call, yield* changeIn(call, EDITABLE_FIELDS, ["kind"]))
        yield* licensed(change.license)
        yield* textsChecked(call, change)
        const id = yield* numberOf("post", params.id)
        const by = yield* admitted(bus, call)
        const mentions = yield* mentionsIn(bus, call, change.title, change.body)
        // Its texts are in the read model alone; how it stands, its actor says.
        const before = yield* shown(call, id)
        const stands = yield* bus.read(call, { actor: params.id, op: "post.edit", input: { by, change, mentions } })
        return dataValue({ ...before, ...stands, body: change.body ?? before.body })
      }),
    deletePost: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("post", params.id)
        const by = yield* admitted(bus, call)
        return dataBytes(yield* bus.ask(call, { actor: String(id), op: "post.delete", input: { by } }))
      })
  })
}
