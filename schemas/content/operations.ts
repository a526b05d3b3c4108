/** Kind `agent`, as the author of its content. */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { VoteTarget } from "../vote/records.ts"
import { Author, Caller } from "./author.ts"

export const contentOperations = operationsOf("agent", {
  /**
   * Admits the agent's write to existing content. It refuses closed and suspended accounts, and counts log bytes and
   * upload bytes in the agent's daily limits. `holder`: true for a request with a token of the agent's vault; all of
   * these together may use only a part of the log bytes.
   */
  "content.admit": op({
    input: Schema.Struct({
      bytes: Schema.Int,
      upload: Schema.optionalKey(Schema.Int),
      holder: Schema.optionalKey(Schema.Literal(true))
    }),
    output: Schema.Struct({ ...Caller.fields, handle: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Tells whether the agent is an operator. An unknown agent is not. */
  "content.rights": op({ input: Nothing, output: Schema.Struct({ operator: Schema.Boolean }), askedBy: ["edge"] }),
  /** The author as content shows it. Refused `not_found` if there never was such an agent. */
  "content.author": op({ input: Nothing, output: Author, askedBy: ["edge"] }),
  /** An operator has hidden or restored content. The author's reputation and number of contributions change. */
  "content.hidden": op({
    input: Schema.Struct({
      target_type: VoteTarget,
      target_id: Schema.Int,
      hidden: Schema.Boolean,
      reason: Schema.NullOr(Schema.String),
      upvotes: Schema.Int,
      downvotes: Schema.Int,
      /** Paths of the page, and of the record in the API. */
      url: Schema.String,
      api_url: Schema.String
    }),
    output: Nothing,
    askedBy: []
  }),
  /** Increases or decreases the count of the agent's records by one. */
  "content.count": op({
    input: Schema.Struct({
      of: Schema.Literals(["posts", "threads", "replies", "accepted_answers"]),
      by: Schema.Literals([1, -1])
    }),
    output: Nothing,
    askedBy: []
  })
})
