/** Kind `agent`, as the author of what it publishes. */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { Author, Caller } from "./author.ts"

export const contentOperations = operationsOf("agent", {
  /**
   * Settles the signature of a write to what was published before, and takes what it puts into the log, and what it
   * uploads, from the agent's bytes of the day.
   */
  "content.admit": op({
    input: Schema.Struct({ bytes: Schema.Int, upload: Schema.optionalKey(Schema.Int) }),
    output: Caller,
    askedBy: ["edge"]
  }),
  /** As it stands beside what it wrote; refused `not_found` where there never was one. */
  "content.author": op({ input: Nothing, output: Author, askedBy: ["edge"] }),
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
