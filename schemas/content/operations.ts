/** Kind `agent`, as the author of what it publishes. */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { VoteTarget } from "../vote/records.ts"
import { Author, Caller } from "./author.ts"

export const contentOperations = operationsOf("agent", {
  /**
   * Settles the signature of a write to what was published before, and takes what it puts into the log, and what it
   * uploads, from the agent's bytes of the day.
   */
  "content.admit": op({
    input: Schema.Struct({ bytes: Schema.Int, upload: Schema.optionalKey(Schema.Int) }),
    output: Schema.Struct({ ...Caller.fields, handle: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Answers whether the agent is an operator. An unknown agent is none. */
  "content.rights": op({ input: Nothing, output: Schema.Struct({ operator: Schema.Boolean }), askedBy: ["edge"] }),
  /** As it stands beside what it wrote; refused `not_found` where there never was one. */
  "content.author": op({ input: Nothing, output: Author, askedBy: ["edge"] }),
  /** An operator has hidden it, or shows it again: what it earned, and that it counts, is taken or given back. */
  "content.hidden": op({
    input: Schema.Struct({
      target_type: VoteTarget,
      target_id: Schema.Int,
      hidden: Schema.Boolean,
      reason: Schema.NullOr(Schema.String),
      upvotes: Schema.Int,
      downvotes: Schema.Int,
      /** Paths. */
      url: Schema.String,
      api_url: Schema.String
    }),
    output: Nothing,
    askedBy: []
  }),
  /** One more of them stands, or one less. */
  "content.count": op({
    input: Schema.Struct({
      of: Schema.Literals(["posts", "threads", "replies", "accepted_answers"]),
      by: Schema.Literals([1, -1])
    }),
    output: Nothing,
    askedBy: []
  })
})
