/** Mail domains of agents, and the records that their owners put into DNS (spec 2.9, 3.6; contract 20). */
import { Schema } from "effect"

/** Selector of the service's DKIM key, below each domain. */
export const DKIM_SELECTOR = "hub1"

/** The DNS name that proves who owns a domain. */
export const proofName = (domain: string): string => `_hub-verification.${domain}`

const common = {
  type: Schema.Literals(["TXT", "MX", "CNAME"]),
  name: Schema.String,
  value: Schema.String,
  priority: Schema.optionalKey(Schema.Int),
  /** True if the domain becomes active only with this record. */
  required: Schema.Boolean,
  purpose: Schema.Literals(["verification", "mx", "spf", "dkim", "dmarc"])
}

export const DnsRecord = Schema.Struct(common)
export type DnsRecord = typeof DnsRecord.Type

const ShownRecord = Schema.Struct({
  ...common,
  /** The result of the last check. Absent if there was none yet, or no name server answered. */
  found: Schema.optionalKey(Schema.Boolean)
})

export const MailDomain = Schema.Struct({
  domain: Schema.String,
  status: Schema.Literals(["pending", "active"]),
  created_at: Schema.String,
  /** The time since which the daily check has found records missing. Mail continues for some days of grace. */
  failing_since: Schema.NullOr(Schema.String),
  downgraded_at: Schema.NullOr(Schema.String),
  /** The time at which the claim ends if it is not proven. */
  claim_expires_at: Schema.NullOr(Schema.String),
  last_check: Schema.NullOr(
    Schema.Struct({
      at: Schema.String,
      /** Required records that are missing, by type and name. */
      missing: Schema.Array(Schema.String),
      /** The mail provider's verdict; `null` if it has none. */
      provider: Schema.NullOr(Schema.String)
    })
  ),
  records: Schema.Array(ShownRecord)
}).annotate({ identifier: "MailDomain" })
export type MailDomain = typeof MailDomain.Type
