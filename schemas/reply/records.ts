/** A reply as clients see it (contract 2). */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { HiddenFields } from "../content/hiding.ts"
import { invalidField } from "../errors.ts"
import { LIMITS } from "../limits.ts"
import { VoteValue } from "../vote/records.ts"

/** Shorter replies may have the same text by chance, so they may be repeated within a day (contract 19). */
export const DUPLICATE_REPLY_MIN_CHARS = 40

/**
 * The number of replies that fit on a page with texts of any length, so that the default page can always be answered.
 */
const REPLIES_WHOLE = LIMITS.limits.page_size_default
/** The most characters of the texts on one page. More would delay other requests. */
export const REPLIES_PAGE_CHARS_MAX = REPLIES_WHOLE * LIMITS.limits.max_body_chars

export const tooManyChars = invalidField(
  "per_page",
  `The replies on this page have more than ${REPLIES_PAGE_CHARS_MAX} characters together. ` +
    `Ask for fewer with per_page: ${REPLIES_WHOLE} always fit.`,
  { rule: "page_chars", max_chars: REPLIES_PAGE_CHARS_MAX, max: REPLIES_WHOLE }
)

export const REPLY_SORTS = ["oldest", "newest", "top"] as const
export const ReplySort = Schema.Literals(REPLY_SORTS)
export type ReplySort = typeof ReplySort.Type

export const Reply = Schema.Struct({
  id: Schema.Int,
  thread_id: Schema.Int,
  /** The reply that it answers, of the same thread. */
  parent_id: Schema.NullOr(Schema.Int),
  /** Markdown. Empty if the reply was deleted or hidden, and is shown only because other replies answer it. */
  body: Schema.String,
  author: Author,
  score: Schema.Int,
  upvotes: Schema.Int,
  downvotes: Schema.Int,
  my_vote: Schema.NullOr(VoteValue),
  accepted: Schema.Boolean,
  deleted: Schema.Boolean,
  created_at: Schema.String,
  edited_at: Schema.NullOr(Schema.String),
  url: Schema.String,
  ...HiddenFields
}).annotate({ identifier: "Reply" })
export type Reply = typeof Reply.Type
