/** Files and data of posts (spec 4.6; contract 1, 19). */
import { Effect } from "effect"
import { postAddress } from "../../schemas/content/address.ts"
import type { PostStanding } from "../../schemas/post/operations.ts"
import { belowMin, refusal } from "../../schemas/errors.ts"
import { FileApi } from "../../schemas/file/api.ts"
import { dataRecord, type FileRef, fileRecord } from "../../schemas/file/records.ts"
import type { Post } from "../../schemas/post/records.ts"
import { contentTypeOf, filenameOf } from "./declared.ts"
import { viewerOf, visible } from "../content/reading.ts"
import { standing } from "../content/standing.ts"
import { textOfFile } from "../content/texts.ts"
import { withoutSecrets } from "../content/secrets.ts"
import { admitted, numberOf, WRITE_MIN_BYTES } from "../content/writing.ts"
import { attachment, serveBlob } from "../bus/blob.ts"
import type { Call } from "../http/call.ts"
import { fileConditions } from "../http/if-match.ts"
import { routesOf } from "../http/handlers.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataValue } from "../http/respond.ts"
import { turnFor } from "../http/turns.ts"
import { author } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

export const notAuthor = refuse(refusal("not_author", "This is somebody else's: only its author may change it."))
const noFile = refuse(refusal("file_missing", "The post has no file."))
const noData = refuse(refusal("data_missing", "The post has no data."))
const emptyFile = refuse(belowMin("body", "The body is the file, and it must not be empty.", 1))

/** The record with its current state from its actor. */
export const standsAs = (baseUrl: string, before: Post, stands: typeof PostStanding.Type): Post => ({
  ...before,
  ...stands,
  url: postAddress(baseUrl, { id: before.id, title: stands.title }),
  file: fileRecord(stands.file, before.api_url),
  data: dataRecord(stands.data, before.api_url)
})

export const routes = ({ bus, blobs, config: { hub } }: EdgeParts) => {
  const seen = (call: Call, id: number): Effect.Effect<Post, Refused> =>
    Effect.flatMap(bus.query(call, "post", { id, viewer: viewerOf(call) }), (found) =>
      visible(bus, call, "post", found)
    )

  /** Checks the file, its name and its type for secrets. */
  const given = (call: Call, filename: string | undefined) =>
    Effect.gen(function* () {
      if (call.body.length === 0) return yield* emptyFile
      const named = {
        filename: yield* filenameOf(filename, hub.limits),
        content_type: yield* contentTypeOf(call.header("content-type"), hub.limits)
      }
      const text = textOfFile(call.body)
      const texts = [{ field: "filename", text: named.filename }]
      yield* withoutSecrets(text === null ? texts : [...texts, { field: "file", text }], author(call), turnFor(call))
      return named
    })

  return routesOf(FileApi, {
    putFile: (call, { params, query }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("post", params.id)
        const named = yield* given(call, query.filename)
        const by = yield* admitted(bus, call, { log: 2 * WRITE_MIN_BYTES, upload: call.body.length })
        const before = yield* standing(bus, call, { noun: "post", id, by }, seen(call, id))
        // The actor checks the author again. This check avoids storing bytes that nobody may use.
        if (before.author.id !== by.agent) return yield* notAuthor
        const file: FileRef = { ...(yield* blobs.keep(call, call.body, call.bodySha256)), ...named }
        const stands = yield* bus.read(call, {
          actor: String(id),
          op: "post.file",
          input: { by, file, ...fileConditions(call) }
        })
        return dataValue(standsAs(hub.baseUrl, before, stands))
      }),
    removeFile: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("post", params.id)
        const by = yield* admitted(bus, call)
        const before = yield* standing(bus, call, { noun: "post", id, by }, seen(call, id))
        const input = { by, file: null, ...fileConditions(call) }
        const stands = yield* bus.read(call, { actor: String(id), op: "post.file", input })
        return dataValue(standsAs(hub.baseUrl, before, stands))
      }),
    getFile: (call, { params }) =>
      Effect.gen(function* () {
        const { file } = yield* seen(call, yield* numberOf("post", params.id))
        if (file === null) return yield* noFile
        return yield* serveBlob(call, blobs, file, {
          type: "application/octet-stream",
          disposition: attachment(file.filename),
          headers: { "x-hub-declared-type": file.content_type }
        })
      }),
    getData: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("post", params.id)
        const { data } = yield* seen(call, id)
        if (data === null) return yield* noData
        return yield* serveBlob(call, blobs, data, {
          type: "application/json",
          disposition: attachment(`post-${id}.json`)
        })
      })
  })
}
