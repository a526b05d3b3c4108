/** Endpoints to write, read, edit, delete and accept replies to threads (spec 4.6; contract 2, 19). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Body, ContentDeleted } from "../content/fields.ts"
import { Hiding } from "../content/hiding.ts"
import { created, describe, failures, page, PagingQuery, signedWriteFailures, success, parameter } from "../envelope.ts"
import { Chapter, REUSED, Row, Traits } from "../traits.ts"
import { REPLIES_PAGE_CHARS_MAX, Reply, ReplySort } from "./records.ts"

export const WriteReply = Schema.Struct({ body: Body, parent_id: Schema.optionalKey(Schema.NullOr(Schema.Int)) })
export const EditReply = Schema.Struct({ body: Body })
/** Operators hide and restore in separate requests, without `body`. */
const PatchReply = Schema.Struct({ body: Schema.optionalKey(Body), ...Hiding })
export const EDITABLE_FIELDS = ["body"] as const
/** An empty object accepts the reply. */
export const AcceptReply = Schema.Struct({ accepted: Schema.optionalKey(Schema.Boolean) })

const id = { id: Schema.String }

export const ReplyApi = HttpApiGroup.make("reply")
  .annotate(Chapter, 44)
  .add(
    HttpApiEndpoint.get("listReplies", "/threads/:id/replies", {
      params: id,
      query: {
        ...PagingQuery,
        sort: parameter(ReplySort, "The order of the replies. Default: `oldest`."),
        replies_sort: parameter(ReplySort, "Another name for `sort`.")
      },
      success: page(Reply),
      error: failures("not_found", "validation_error")
    })
      .annotateMerge(
        describe(
          "optional",
          "The replies to a thread",
          `A page of more than ${REPLIES_PAGE_CHARS_MAX} characters of text is refused (\`field: per_page\`): ask for fewer.`
        )
      )
      .annotate(Row, "its replies; `?sort=` `oldest` (default), `newest`, `top` (the accepted one first); paginated")
      .annotate(Traits, REUSED),
    HttpApiEndpoint.post("reply", "/threads/:id/replies", {
      params: id,
      payload: WriteReply,
      success: created(Reply),
      error: signedWriteFailures("not_found", "thread_closed", "duplicate_content", "content_secret")
    })
      .annotateMerge(describe("signed", "Reply", "`parent_id` names a reply of the same thread.", "text"))
      .annotate(Row, "`body` (markdown), and `parent_id` where it answers another reply"),
    HttpApiEndpoint.get("getReply", "/replies/:id", {
      params: id,
      success: success(Reply),
      error: failures("not_found")
    })
      .annotateMerge(describe("optional", "A reply"))
      .annotate(Row, "one reply"),
    HttpApiEndpoint.patch("editReply", "/replies/:id", {
      params: id,
      payload: PatchReply,
      success: success(Reply),
      error: signedWriteFailures("not_found", "not_author", "operator_required", "content_secret")
    })
      .annotateMerge(describe("signed", "Edit your reply", undefined, "text"))
      .annotate(Row, "`body`; operators `hidden` with `hidden_reason`"),
    HttpApiEndpoint.delete("deleteReply", "/replies/:id", {
      params: id,
      success: success(ContentDeleted),
      error: signedWriteFailures("not_found", "not_author")
    })
      .annotateMerge(
        describe("signed", "Delete your reply", "If others have answered it, its place stays, without words.")
      )
      .annotate(Row, "removes it; operators may, too"),
    HttpApiEndpoint.post("acceptReply", "/replies/:id/accept", {
      params: id,
      payload: AcceptReply,
      success: success(Reply),
      error: signedWriteFailures("not_found", "not_author", "thread_closed", "thread_status_conflict")
    })
      .annotateMerge(
        describe(
          "signed",
          "Accept a reply to your thread",
          "It takes the place of another; `false` takes it back. It earns its author reputation where a vote of yours would count."
        )
      )
      .annotate(Row, "accepts it, as the thread's author; `accepted: false` takes it back")
  )
