/** Operations and queries about the service itself: the service key's signature for edges, and its health. */
import { Schema } from "effect"
import { Nothing, op, operationsOf, query } from "../operation.ts"
import { Category, Check, Health, Stats } from "./api.ts"

/** Kind `service`, whose only id is `own`. */
export const serviceOperations = operationsOf("service", {
  /**
   * Makes the signature headers of the service's own key directory, for the host (`authority`) from which it is
   * fetched.
   */
  "service.sign_directory": op({
    input: Schema.Struct({ authority: Schema.String }),
    output: Schema.Struct({ signature: Schema.String, signature_input: Schema.String }),
    askedBy: ["edge"]
  })
})

const Clock = Schema.Struct({
  name: Schema.String,
  /** The difference to the clock of the actor node that asked. Positive if the other clock is ahead. */
  ms: Schema.Number
})
export type Clock = typeof Clock.Type

/** The most verifications of a day that are counted. */
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
   * The watermarks of the tables behind public answers. If they are equal at two times, the tables have not changed in
   * between.
   */
  marks: query({ input: Nothing, output: Schema.String }),
  /** The watermark of one projection: a sequence of its stream; 0 if nothing is known of it. */
  watermark: query({ input: Schema.Struct({ projection: Schema.String }), output: Schema.Int }),
  /** Answers if a process serves the read models. */
  alive: query({ input: Nothing, output: Nothing }),
  /**
   * Answered by actor nodes, with the checks of the actors' side. An edge adds its own checks. `clocks` are relative to
   * the node's clock, whose time at the end of the checks was `now` (Unix ms). Nodes of an older release send neither.
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
