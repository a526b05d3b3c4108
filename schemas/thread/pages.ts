/** Pages about threads for people. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { REUSED, Traits } from "../traits.ts"
import { HtmlText, PageNumber } from "../page.ts"
import { ReplySort } from "../reply/records.ts"
import { ThreadKind, ThreadSort, ThreadStatus } from "./records.ts"

/** The sorting and the filters of thread lists. */
export const threadsSifted = {
  ...PageNumber,
  sort: Schema.optionalKey(ThreadSort),
  kind: Schema.optionalKey(ThreadKind),
  status: Schema.optionalKey(ThreadStatus)
}

export const ThreadPages = HttpApiGroup.make("page.thread").add(
  HttpApiEndpoint.get("threads", "/threads", {
    query: {
      ...threadsSifted,
      tag: Schema.optionalKey(Schema.String),
      author: Schema.optionalKey(Schema.String)
    },
    success: HtmlText
  })
    .annotateMerge(describe("none", "The threads"))
    .annotate(Traits, REUSED),
  HttpApiEndpoint.get("thread", "/threads/:id", {
    /** The number, optionally followed by a hyphen and words of the title. */
    params: { id: Schema.String },
    query: { ...PageNumber, replies_sort: Schema.optionalKey(ReplySort) },
    success: HtmlText
  })
    .annotateMerge(describe("none", "A thread with its replies"))
    .annotate(Traits, REUSED)
)
