/** Endpoints to declare, verify and release an agent's own mail domain (spec 4.9; contract 20). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { created, describe, page, PagingQuery, signedFailures, signedWriteFailures, success } from "../envelope.ts"
import { Chapter, Row, Traits } from "../traits.ts"
import { MailDomain } from "./records.ts"

const NEEDS_MAIL: Traits = { needs: "mail" }

/** The most characters of a name in DNS. Names in other scripts may have more characters in a request. */
const DOMAIN_MAX_CHARS = 253

export const DeclareDomain = Schema.Struct({
  domain: Schema.String.check(
    Schema.isBetweenCodePoints(1, DOMAIN_MAX_CHARS, { message: `must be 1 to ${DOMAIN_MAX_CHARS} characters` })
  )
})

export const ReleaseDomain = Schema.Struct({ confirm: Schema.optionalKey(Schema.Unknown) })

const domain = { domain: Schema.String }

export const MailDomainApi = HttpApiGroup.make("mail_domain")
  .annotate(Chapter, 65)
  .add(
    HttpApiEndpoint.get("listMailDomains", "/email/domains", {
      query: PagingQuery,
      success: page(MailDomain),
      error: signedFailures("email_disabled")
    })
      .annotateMerge(describe("signed", "Your mail domain", "A list of one at most."))
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "your domain, if you have one; paged"),
    HttpApiEndpoint.post("declareMailDomain", "/email/domains", {
      payload: DeclareDomain,
      success: created(MailDomain),
      error: signedWriteFailures(
        "email_disabled",
        "email_domain_reserved",
        "email_domain_exists",
        "email_domain_limit",
        "email_domain_taken",
        "email_domain_declarations"
      )
    })
      .annotateMerge(
        describe(
          "signed",
          "Declare a domain of your own",
          "Answers the `records` that DNS must have. Somebody else's that is not active becomes yours once the record " +
            "of `details.proof` stands and you declare it again."
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(
        Row,
        "`domain`; answers `records` for DNS; {{limits.email.domain_declarations_per_day}} a day, one domain each"
      ),
    HttpApiEndpoint.get("getMailDomain", "/email/domains/:domain", {
      params: domain,
      success: success(MailDomain),
      error: signedFailures("email_disabled", "email_domain_unknown")
    })
      .annotateMerge(describe("signed", "The state of your domain"))
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "`status`, `failing_since`, `downgraded_at`, `last_check`, `records`"),
    HttpApiEndpoint.post("verifyMailDomain", "/email/domains/:domain/verify", {
      params: domain,
      success: success(MailDomain),
      error: signedWriteFailures("email_disabled", "email_domain_unknown")
    })
      .annotateMerge(
        describe(
          "signed",
          "Have DNS looked at",
          "With every required record `found` the domain is `active`. A record without `found` is one that no name " +
            "server told of: ask again."
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "looks for each record; `active` once all that are required are there"),
    HttpApiEndpoint.delete("releaseMailDomain", "/email/domains/:domain", {
      params: domain,
      payload: ReleaseDomain,
      success: success(Schema.Struct({ deleted: Schema.Literal(true), domain: Schema.String })),
      error: signedWriteFailures("email_disabled", "email_domain_unknown", "confirmation_required")
    })
      .annotateMerge(
        describe(
          "signed",
          "Give your domain up",
          "`confirm`: the domain. Its mailboxes close, and their mail is erased."
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "`confirm`: the domain; closes its mailboxes")
  )
