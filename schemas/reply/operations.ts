/** Kind `agent` writes replies. Kind `reply` is one reply; its id is its number. */
import { Schema } from "effect"
import { Author, Caller } from "../content/author.ts"
import { hiding } from "../content/hiding.ts"
import { keeping, standing } from "../content/standing.ts"
import { ContentDeleted, Mentions } from "../content/fields.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { Reply, ReplySort } from "./records.ts"

const Written = Schema.Struct({
  thread: Schema.Int,
  parent: Schema.NullOr(Schema.Int),
  body: Schema.String,
  mentions: Mentions
})
export type WrittenReply = typeof Written.Type

/** Refused `not_found` or `thread_closed` for the thread, `validation_error` for a parent reply in another thread. */
export const replyingOperations = operationsOf("agent", {
  "reply.write": op({
    input: Written,
    output: Schema.Struct({
      id: Schema.Int,
      created_at: Schema.String,
      author: Author,
      /** Absent if an older release answers. */
      thread_title: Schema.optionalKey(Schema.String)
    }),
    askedBy: ["edge"]
  })
})

export const replyOperations = operationsOf("reply", {
  "reply.edit": op({
    input: Schema.Struct({ by: Caller, body: Schema.String, mentions: Mentions }),
    output: Schema.Struct({ edited_at: Schema.String }),
    askedBy: ["edge"]
  }),
  "reply.hide": hiding,
  "reply.stands": standing,
  "reply.kept": keeping,
  "reply.delete": op({ input: Schema.Struct({ by: Caller }), output: ContentDeleted, askedBy: ["edge"] }),
  /** Refused `not_found` if the reply does not exist, or is hidden. */
  "reply.look": op({
    input: Nothing,
    output: Schema.Struct({ thread: Schema.Int, author: Schema.String }),
    askedBy: ["edge"]
  })
})

export const replyQueries = {
  replies: query({
    input: Schema.Struct({
      page: Schema.Int,
      per_page: Schema.Int,
      sort: ReplySort,
      thread: Schema.Int,
      viewer: Schema.NullOr(Schema.String)
    }),
    output: paged(Reply)
  }),
  reply: query({
    input: Schema.Struct({ id: Schema.Int, viewer: Schema.NullOr(Schema.String) }),
    output: Schema.NullOr(Reply)
  })
}
