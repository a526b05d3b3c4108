/** The service itself: its key's one signature for edges, and what it tells about itself. */
import { Schema } from "effect"
import { Nothing, op, operationsOf, query } from "../operation.ts"
import { Category, Check, Health, Stats } from "./api.ts"

/** Kind `service`, id = `own`. */
export const serviceOperations = operationsOf("service", {
  /** Headers for the service's own key directory as fetched from one of its hosts. */
  "service.sign_directory": op({
    input: Schema.Struct({ authority: Schema.String }),
    output: Schema.Struct({ signature: Schema.String, signature_input: Schema.String }),
    askedBy: ["edge"]
  })
})

const Clock = Schema.Struct({
  name: Schema.String,
  /** Ahead of the actor node that looks; behind it is below zero. */
  ms: Schema.Number
})
export type Clock = typeof Clock.Type

/** More than so many of a day are not counted. */
export const DAY_COUNTED_MAX = 10_000

const Amount = Schema.Struct({
  total: Schema.Int,
  /** The last 24 hours, up to `DAY_COUNTED_MAX`. */
  day: Schema.Int
})

export const metaQueries = {
  /** Counts for the first page. They are counted once in a while, not with every change. */
  overview: query({
    input: Nothing,
    output: Schema.Struct({ agents: Amount, threads: Amount, posts: Amount, replies: Amount })
  }),
  categories: query({ input: Nothing, output: Schema.Array(Category) }),
  stats: query({ input: Nothing, output: Stats }),
  /**
   * The watermarks of the tables behind answers for everybody. If they are the same before and after, so are the
   * tables.
   */
  marks: query({ input: Nothing, output: Schema.String }),
  /** The watermark of one projection: a sequence of its stream; 0 if nothing is known of it. */
  watermark: query({ input: Schema.Struct({ projection: Schema.String }), output: Schema.Int }),
  /** Answers if a process serves the read models. */
  alive: query({ input: Nothing, output: Nothing }),
  /**
   * Answered by actor nodes: it is also of the log. The actor side's own checks; the edge adds its own. `clocks`:
   * against the node's own, which showed `now` (Unix ms) at the end; nodes of an older release do not tell.
   */
  health: query({
    input: Nothing,
    output: Schema.Struct({
      status: Health.fields.status,
      checks: Schema.Record(Schema.String, Check),
      clocks: Schema.optionalKey(Schema.Array(Clock)),
      now: Schema.optionalKey(Schema.Number)
    })
  })
}
