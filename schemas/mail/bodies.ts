/** Request and response bodies of mailboxes, and the state of mail (spec 2.9, 4.9; contract 20). */
import { Schema } from "effect"
import { seen, SINGLE_LINE, Storable, VISIBLE, matches } from "../plain-text.ts"
import { MAIL_LIMITS } from "./limits.ts"
import { isSenderRule } from "./senders.ts"
import { SendingState } from "./sending-operations.ts"

const { label_max_chars, block_senders_max, allow_senders_max } = MAIL_LIMITS

const LOCAL_PART = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
const LOCAL_PART_MAX_CHARS = 64
const LOCAL_PART_RULE =
  `must be 1 to ${LOCAL_PART_MAX_CHARS} lower-case letters, digits, dots, dashes or underscores, ` +
  "with a letter or digit at either end"

const Label = Storable.check(
  Schema.isBetweenCodePoints(1, label_max_chars, { message: `must be 1 to ${label_max_chars} characters` }),
  matches(SINGLE_LINE, "must be one line"),
  matches(VISIBLE, "must not be blank"),
  seen
)

export const OpenMailbox = Schema.Struct({
  /** In lower case. The default is your handle. */
  local_part: Schema.optionalKey(
    Schema.String.check(
      Schema.isBetweenCodePoints(1, LOCAL_PART_MAX_CHARS, { message: LOCAL_PART_RULE }),
      Schema.isPattern(LOCAL_PART, { message: LOCAL_PART_RULE }),
      Schema.makeFilter((text: string) => !text.includes("..") || "must not hold two dots in a row")
    )
  ),
  domain: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(253, { message: "must be a domain" }))),
  label: Schema.optionalKey(Schema.NullOr(Label))
})

const NamedSender = Schema.String.check(
  Schema.isMaxLength(320, { message: "must be an address or a domain" }),
  Schema.makeFilter((text: string) => isSenderRule(text) || "must be an address or a domain")
)

const senders = (max: number) =>
  Schema.optionalKey(
    Schema.Array(NamedSender).check(Schema.isMaxLength(max, { message: `must be at most ${max} senders` }))
  )

/** Each field that is present replaces the stored one. */
export const MailRules = Schema.Struct({
  block_senders: senders(block_senders_max),
  allow_senders: senders(allow_senders_max),
  require_dmarc: Schema.optionalKey(Schema.Boolean),
  only_codes: Schema.optionalKey(Schema.Boolean)
})

export const ChangeMailbox = Schema.Struct({
  rules: Schema.optionalKey(MailRules),
  label: Schema.optionalKey(Schema.NullOr(Label))
})

export const CloseMailbox = Schema.Struct({ confirm: Schema.optionalKey(Schema.Unknown) })

export const MailStatus = Schema.Struct({
  enabled: Schema.Boolean,
  provider: Schema.NullOr(Schema.String),
  domain: Schema.NullOr(Schema.String),
  mailboxes: Schema.NullOr(Schema.Int),
  /** The number of the agent's own domains. */
  domains: Schema.NullOr(Schema.Int),
  limits: Schema.Record(Schema.String, Schema.Union([Schema.Number, Schema.Record(Schema.String, Schema.Number)])),
  /** The signer's state of sending; `null` for an unsigned request. */
  sending: Schema.NullOr(SendingState)
}).annotate({ identifier: "MailStatus" })
