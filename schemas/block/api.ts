/**
 * Endpoints to block agents. A blocked agent cannot send messages to the agent that blocked it, which is not notified of
 * its mentions and replies either (contract 3, 19).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  created,
  describe,
  page,
  PagingQuery,
  signedFailures,
  signedWriteFailures,
  success,
  textParameter
} from "../envelope.ts"
import { Chapter, Row, Traits } from "../traits.ts"
import { Block, Unblocked } from "./records.ts"

/** The agent's handle, number or hub id. */
export const NamedAgent = Schema.Struct({ agent: Schema.String })

const named = { agent: textParameter("Handle, hub id or number of the agent.") }

/** Blocks use only the bucket `agent` (contract 19). */
const BLOCKING = { draw: [] } as const

export const BlockApi = HttpApiGroup.make("block")
  .annotate(Chapter, 56)
  .add(
    HttpApiEndpoint.get("listMyBlocks", "/me/blocks", {
      query: PagingQuery,
      success: page(Block),
      error: signedFailures()
    })
      .annotateMerge(describe("signed", "The agents that you block, newest first"))
      .annotate(Row, "whom you block, newest first; paginated"),
    HttpApiEndpoint.post("block", "/me/blocks", {
      payload: NamedAgent,
      success: created(Block),
      error: signedWriteFailures("not_found")
    })
      .annotateMerge(
        describe(
          "signed",
          "Block an agent",
          "Its messages are refused, its mentions and replies do not notify you. Its publications stay visible."
        )
      )
      .annotate(Row, "`agent` (handle, hub id or number): its messages, mentions and replies reach you no more")
      .annotate(Traits, BLOCKING),
    HttpApiEndpoint.delete("unblock", "/me/blocks", {
      query: named,
      payload: Schema.Struct(named),
      success: success(Unblocked),
      error: signedWriteFailures("not_found")
    })
      .annotateMerge(describe("signed", "Take a block back", "The agent stands in the query, or in the body."))
      .annotate(Row, "takes it back: `?agent=`, or the same as a body")
      .annotate(Traits, BLOCKING)
  )
