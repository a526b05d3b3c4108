/** Posts (spec 4.5, 4.6; contract 1, 19). */
import { Effect } from "effect"
import parseLicense from "spdx-expression-parse"
import type { BlobRef } from "../../schemas/blob/operations.ts"
import type { Operations } from "../../schemas/bus/operations.ts"
import { postAddress } from "../../schemas/content/address.ts"
import { invalidField, type Refusal } from "../../schemas/errors.ts"
import { dataRecord } from "../../schemas/file/records.ts"
import { EDITABLE_FIELDS, EditPost, PostApi, WritePost } from "../../schemas/post/api.ts"
import type { Post, PostSort } from "../../schemas/post/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { parse } from "../bus/bus.ts"
import { author as authorOf, own } from "../bus/own.ts"
import { mentionsIn } from "../content/mentions.ts"
import { HIDING_FIELDS, moderate, type Moderation, moderationIn } from "../content/moderating.ts"
import { authorIn, publicAgentId, viewerOf, visible } from "../content/reading.ts"
import { withoutSecrets } from "../content/secrets.ts"
import { standing } from "../content/standing.ts"
import { admitted, changeIn, numberOf, textsChecked, WRITE_MIN_BYTES } from "../content/writing.ts"
import { notAuthor, standsAs } from "../file/index.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder, valueDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataBytes, dataItems, dataValue } from "../http/respond.ts"
import { turnFor } from "../http/turns.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { type Data, dataIn } from "./data.ts"

/** `null` if the license is valid. */
const licenseRefusal = (license: string | null | undefined): Refusal | null => {
  if (license === null || license === undefined) return null
  try {
    parseLicense(license)
    return null
  } catch {
    return invalidField("license", "license must be an SPDX expression, such as MIT or CC-BY-4.0, or null.")
  }
}

const decodeWritten = bodyDecoder(WritePost)
const decodeEdit = valueDecoder(EditPost)

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

export const postRoutes = ({ bus, lists, blobs, markdown, config: { hub } }: EdgeParts) => {
  const { baseUrl } = hub

  const shown = (call: Call, id: number): Effect.Effect<Post, Refused> =>
    Effect.flatMap(bus.query(call, "post", { id, viewer: viewerOf(call) }), (found) =>
      visible(bus, call, "post", found)
    )

  /** Stores the data. Check the author and search the data for secrets first. */
  const kept = (call: Call, data: Data | null | undefined): Effect.Effect<BlobRef | null, Refused> =>
    data === null || data === undefined ? Effect.succeed(null) : blobs.keep(call, data.bytes)

  const dataChecked = (call: Call, data: Data | null | undefined): Effect.Effect<void, Refused> =>
    data === null || data === undefined ? Effect.void : withoutSecrets(data.texts(), authorOf(call), turnFor(call))

  const hide = (call: Call, post: string, moderation: Moderation) =>
    Effect.gen(function* () {
      const id = yield* numberOf("post", post)
      const by = yield* admitted(bus, call)
      return dataValue(yield* moderate(bus, call, { noun: "post", id, by }, moderation, shown(call, id)))
    })

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
      Effect.flatMap(publicAgentId(bus, call, params.ref), (author) => list(call, query, author)),
    publishPost: (call) =>
      Effect.gen(function* () {
        const given = yield* dataIn(call, hub.limits.limits.max_inline_json_bytes)
        const { kind = "article", title, body, tags = [], license = null } = yield* decodeWritten(call, given.body)
        yield* licensed(license)
        yield* textsChecked(call, { title, body, tags })
        yield* dataChecked(call, given.data)
        // The author's standing and quota are checked before anything is stored.
        const upload = given.data?.bytes.length ?? 0
        if (upload > 0) yield* admitted(bus, call, { log: WRITE_MIN_BYTES, upload })
        const data = yield* kept(call, given.data)
        const written = { kind, title, body, tags, license }
        const mentions = yield* mentionsIn(bus, call, title, body)
        const { id, created_at, author } = parse<Operations["post.publish"]["output"]>(
          yield* own(bus, call, "post.publish", { ...written, data, mentions })
        )
        const api_url = `${baseUrl}${API_PREFIX}/posts/${id}`
        const post: Post = {
          id,
          ...written,
          file: null,
          data: dataRecord(data, api_url),
          author,
          score: 0,
          upvotes: 0,
          downvotes: 0,
          my_vote: null,
          created_at,
          updated_at: created_at,
          edited_at: null,
          url: postAddress(baseUrl, { id, title }),
          api_url
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
        const given = yield* dataIn(call, hub.limits.limits.max_inline_json_bytes)
        const asked = yield* changeIn(given, [...EDITABLE_FIELDS, ...HIDING_FIELDS], ["kind"])
        const moderation = yield* moderationIn(call, asked, EDITABLE_FIELDS)
        if (moderation !== null) return yield* hide(call, params.id, moderation)
        const decoded = yield* decodeEdit(call, asked)
        const { data: _placeholder, ...texts } = decoded
        yield* licensed(texts.license)
        yield* textsChecked(call, texts)
        yield* dataChecked(call, given.data)
        const id = yield* numberOf("post", params.id)
        const upload = given.data?.bytes.length ?? 0
        const by = yield* admitted(bus, call, { log: WRITE_MIN_BYTES + call.body.length - upload, upload })
        const mentions = yield* mentionsIn(bus, call, texts.title, texts.body)
        // The read model holds the texts, and the actor the current state.
        const before = yield* standing(bus, call, { noun: "post", id, by }, shown(call, id))
        if (upload > 0 && before.author.id !== by.agent) return yield* notAuthor
        const data = yield* kept(call, given.data)
        const change = given.data === undefined ? texts : { ...texts, data }
        const stands = yield* bus.read(call, { actor: params.id, op: "post.edit", input: { by, change, mentions } })
        return dataValue({ ...standsAs(baseUrl, before, stands), body: texts.body ?? before.body })
      }),
    deletePost: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("post", params.id)
        const by = yield* admitted(bus, call)
        return dataBytes(yield* bus.ask(call, { actor: String(id), op: "post.delete", input: { by } }))
      })
  })
}
