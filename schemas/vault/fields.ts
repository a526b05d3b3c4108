/** The fields that clients give a vault, with their rules (contract 9, 17). */
import { Schema } from "effect"
import { SendCaptcha } from "../captcha/api.ts"
import { seen, SINGLE_LINE, Storable, VISIBLE, matches } from "../plain-text.ts"
import { VAULT_LIMITS } from "./limits.ts"
import { isOrigin } from "./origins.ts"
import { EntryKind, FillAction } from "./records.ts"

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
export const isUuid = (text: string): boolean => UUID_V4.test(text)
const UUID_CHARS = 36
/** A wrong version is refused by name, once all fields have their types. */
export const Uuid = Schema.String.check(Schema.isMaxLength(UUID_CHARS, { message: "must be a UUID of version 4" }))

const Label = Storable.check(
  Schema.isBetweenCodePoints(1, VAULT_LIMITS.label_max_chars, {
    message: `must be 1 to ${VAULT_LIMITS.label_max_chars} characters`
  }),
  matches(SINGLE_LINE, "must be one line"),
  matches(VISIBLE, "must not be blank"),
  seen
)

const ORIGIN_MAX_CHARS = 300
const Origin = Schema.String.check(Schema.isMaxLength(ORIGIN_MAX_CHARS, { message: "must be an https origin" }))

const Origins = Schema.Array(Origin).check(Schema.isMaxLength(VAULT_LIMITS.origins_max))

const AMOUNT_MAX_CHARS = 24
const Amount = Schema.Union([
  Schema.String.check(Schema.isMaxLength(AMOUNT_MAX_CHARS, { message: "must be a decimal amount" })),
  Schema.Finite
])

const CURRENCY_CHARS = 3
const Currency = Schema.String.check(Schema.isMaxLength(CURRENCY_CHARS, { message: "must be a currency of ISO 4217" }))

export const WantedLimits = Schema.Struct({
  currency: Currency,
  per_payment: Amount,
  per_day: Amount,
  fills_per_day: Schema.Int
})

/** `owner` requires an owner's consent for every fill, `above` for payments of more than that sum. */
export const WantedConsent = Schema.Union([
  Schema.Literal("owner"),
  Schema.Struct({ above: Amount, currency: Currency })
])
export type WantedConsent = typeof WantedConsent.Type

/** `ciphertext` is `hxv1.` and base64 of the sealed box. */
export const WriteEntry = Schema.Struct({
  uid: Uuid,
  kind: EntryKind,
  label: Schema.optionalKey(Schema.NullOr(Label)),
  origins: Schema.optionalKey(Origins),
  limits: Schema.optionalKey(Schema.NullOr(WantedLimits)),
  consent: Schema.optionalKey(Schema.NullOr(WantedConsent)),
  ciphertext: Schema.String,
  /** Only the fill service sets this, for a sign-up that its website has not accepted yet. */
  unconfirmed: Schema.optionalKey(Schema.Boolean)
})
export type WriteEntry = typeof WriteEntry.Type

export const ChangeEntry = Schema.Struct({
  origins: Schema.optionalKey(Origins),
  limits: Schema.optionalKey(WantedLimits)
})

const KINDS_MAX = 4
export const CreateSource = Schema.Struct({
  label: Label,
  kinds: Schema.Array(EntryKind).check(
    Schema.isMinLength(1, { message: "must name at least one kind" }),
    Schema.isMaxLength(KINDS_MAX, { message: "must name each kind once" })
  )
})

export const RevokeVault = Schema.Struct({ confirm: Schema.optionalKey(Schema.Unknown) })

const KEY_BASE64 = /^[A-Za-z0-9+/]{43}=$/
/** base64 of 32 bytes. */
const PublicKey = Schema.String.check(
  Schema.isPattern(KEY_BASE64, { message: "must be base64 of the 32 bytes of an X25519 public key" })
)
export const LoadKey = Schema.Struct({ ephemeral_public_key: PublicKey })

const FIELD_MAX_CHARS = 200
export const OpenFill = Schema.Struct({
  entry_id: Schema.Int,
  action: FillAction,
  /** The vault's policy decides later whether secrets may be typed there, and refuses with its own codes. */
  origin: Origin.check(
    Schema.makeFilter((text: string) => isOrigin(text) || "must be an origin as `URL.origin` gives it")
  ),
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency),
  field: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(FIELD_MAX_CHARS)))
})
export type OpenFill = typeof OpenFill.Type

const CODE = /^[a-z_]{1,60}$/
const FILLED_MAX = 50
export const FillResult = Schema.Struct({
  status: Schema.Literals(["done", "failed"]),
  code: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.check(
        Schema.isMaxLength(60),
        Schema.isPattern(CODE, { message: "must be a code of the fill service" })
      )
    )
  ),
  filled: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(60))).check(Schema.isMaxLength(FILLED_MAX))
  ),
  submitted: Schema.optionalKey(Schema.Boolean),
  /** For a sign-up or a login: true if the page has visibly accepted it. */
  accepted: Schema.optionalKey(Schema.Boolean)
})
export type FillResult = typeof FillResult.Type

/** Like `SendCaptcha`, for a fill. `round` counts its pictures. */
export const RelayCaptcha = Schema.Struct({ ...SendCaptcha.fields, fill_id: Schema.Int, round: Schema.Int })

const PREFIX = "hxv1."
const BOX_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** The bytes that sealing adds: a one-time key and a tag. */
export const BOX_OVERHEAD_BYTES = 48

/** The reason why a text is no ciphertext; `null` if it may be one. Only the fill service can tell whether it opens. */
export const ciphertextProblem = (text: string): string | null => {
  const max = VAULT_LIMITS.ciphertext_max_bytes
  if (text.length > max) return `ciphertext has at most ${max} characters.`
  if (!text.startsWith(PREFIX)) return `ciphertext begins with ${PREFIX}`
  const box = text.slice(PREFIX.length)
  if (!BOX_BASE64.test(box)) return `ciphertext is base64 behind ${PREFIX}`
  return Buffer.byteLength(box, "base64") > BOX_OVERHEAD_BYTES ? null : "ciphertext is too short to be a sealed box."
}
