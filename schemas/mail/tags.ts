/** Temporary addresses of a mailbox: `<local part>+<tag>` accepts mail until the tag expires (contract 20). */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { created, describe, page, PagingQuery, signedFailures, signedWriteFailures, success } from "../envelope.ts"
import { Row, Traits } from "../traits.ts"
import { MAIL_LIMITS } from "./limits.ts"

const { tag_max_chars, tag_max_seconds } = MAIL_LIMITS

const TAG = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/

export const MailTag = Schema.Struct({
  tag: Schema.String,
  address: Schema.String,
  /** `null` if the tag is valid until it is deleted. */
  expires_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "MailTag" })
export type MailTag = typeof MailTag.Type

export const MakeTag = Schema.Struct({
  /** If absent, a random tag is made. */
  tag: Schema.optionalKey(
    Schema.String.check(
      Schema.isMaxLength(tag_max_chars, { message: `must be at most ${tag_max_chars} characters` }),
      Schema.isPattern(TAG, {
        message: "must be lower-case letters, digits, dots, dashes or underscores, with a letter or digit at either end"
      })
    )
  ),
  expires_in_seconds: Schema.optionalKey(
    Schema.NullOr(
      Schema.Int.check(
        Schema.isBetween(
          { minimum: 1, maximum: tag_max_seconds },
          { message: `must be a whole number of seconds from 1 to ${tag_max_seconds}` }
        )
      )
    )
  )
})

const NEEDS_MAIL: Traits = { needs: "mail" }
const id = { id: Schema.String }

export const listMailTags = HttpApiEndpoint.get("listMailTags", "/email/mailboxes/:id/tags", {
  params: id,
  query: PagingQuery,
  success: page(MailTag),
  error: signedFailures("email_disabled", "not_found")
})
  .annotateMerge(describe("signed", "Tags of a mailbox that have not ended, newest first"))
  .annotate(Traits, NEEDS_MAIL)
  .annotate(Row, "its tags that have not ended; paged")

export const makeMailTag = HttpApiEndpoint.post("makeMailTag", "/email/mailboxes/:id/tags", {
  params: id,
  payload: MakeTag,
  success: created(MailTag),
  error: signedWriteFailures("email_disabled", "not_found", "content_secret")
})
  .annotateMerge(
    describe(
      "signed",
      "Make a tag that ends",
      "Mail to `<local part>+<tag>` is taken until `expires_in_seconds` are over, or the tag is deleted, and refused from " +
        "then on. Other tags need not be made. One that is there already ends anew."
    )
  )
  .annotate(Traits, NEEDS_MAIL)
  .annotate(Row, "`tag` (none: one that nobody guesses), `expires_in_seconds`; refused once it has ended")

export const endMailTag = HttpApiEndpoint.delete("endMailTag", "/email/mailboxes/:id/tags/:tag", {
  params: { id: Schema.String, tag: Schema.String },
  success: success(Schema.Struct({ deleted: Schema.Literal(true), tag: Schema.String })),
  error: signedWriteFailures("email_disabled", "not_found")
})
  .annotateMerge(describe("signed", "End a tag", "Mail to it is refused from then on."))
  .annotate(Traits, NEEDS_MAIL)
  .annotate(Row, "ends it: mail to it is refused")
