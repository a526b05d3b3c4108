/** Blocks are events of the blocking agent. The field `agent` is the hub id of the blocked one. */
import { Schema } from "effect"
import { op, operationsOf, paged, query } from "../operation.ts"
import { Block, Unblocked } from "./records.ts"

const Named = Schema.Struct({ agent: Schema.String })
export type Named = typeof Named.Type

/** Refused `not_found` if there is no such agent. */
export const blockOperations = operationsOf("agent", {
  /**
   * Repeating it changes nothing. Refused `not_found` for a banned account too, and `validation_error` if an agent
   * blocks itself.
   */
  "block.add": op({ input: Named, output: Block, askedBy: ["edge"] }),
  "block.remove": op({ input: Named, output: Unblocked, askedBy: ["edge"] })
})

export const blockQueries = {
  blocks: query({
    input: Schema.Struct({ agent: Schema.String, page: Schema.Int, per_page: Schema.Int }),
    output: paged(Block)
  })
}
