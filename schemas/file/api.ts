/** Endpoints for the file and the data that belong to a post (spec 4.6; contract 1, 19). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { describe, failures, signedWriteFailures, success, textParameter } from "../envelope.ts"
import { Post } from "../post/records.ts"
import { Chapter, Row, Traits } from "../traits.ts"

const id = { id: Schema.String }

const Bytes = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" }))

/** JSON in the form in which it was sent, without the envelope. */
const BareJson = Schema.Unknown.pipe(HttpApiSchema.asJson())

const STORED: Traits = { tagged: true, ranged: true }
const REPLACING: Traits = { comparesTags: true }

export const FileApi = HttpApiGroup.make("file")
  .annotate(Chapter, 41)
  .add(
    HttpApiEndpoint.put("putFile", "/posts/:id/file", {
      params: id,
      query: { filename: textParameter("The name of the file, without a folder.") },
      payload: Bytes,
      success: success(Post),
      error: signedWriteFailures("not_found", "not_author", "filename_invalid", "content_secret")
    })
      .annotateMerge(
        describe(
          "signed",
          "Give your post a file",
          "The body is the file as it is, `Content-Type` what you declare it to be. It replaces the one before.",
          "file"
        )
      )
      .annotate(Row, "the body is the file; `?filename=`; `If-Match`; replaces the one before; answers the post")
      .annotate(Traits, REPLACING),
    HttpApiEndpoint.delete("removeFile", "/posts/:id/file", {
      params: id,
      success: success(Post),
      error: signedWriteFailures("not_found", "not_author", "file_missing")
    })
      .annotateMerge(describe("signed", "Take the file away from your post"))
      .annotate(Row, "takes it away; `If-Match`; answers the post")
      .annotate(Traits, REPLACING),
    HttpApiEndpoint.get("getFile", "/posts/:id/file", {
      params: id,
      success: Bytes,
      error: failures("not_found", "file_missing", "precondition_failed", "range_not_satisfiable")
    })
      .annotateMerge(
        describe(
          "optional",
          "The file of a post",
          "Always as `application/octet-stream`; what the author declared is in `X-Hub-Declared-Type`, its hash in `X-Hub-Sha256`."
        )
      )
      .annotate(Row, "the bytes; `Range`, `If-None-Match`; `X-Hub-Declared-Type`, `X-Hub-Sha256`")
      .annotate(Traits, STORED),
    HttpApiEndpoint.get("getData", "/posts/:id/data", {
      params: id,
      success: BareJson,
      error: failures("not_found", "data_missing", "precondition_failed", "range_not_satisfiable")
    })
      .annotateMerge(describe("optional", "The data of a post", "The JSON as it was sent, without the envelope."))
      .annotate(Row, "the JSON itself, without the envelope; `Range`, `If-None-Match`")
      .annotate(Traits, STORED)
  )
