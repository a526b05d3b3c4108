/** The refusals of a vault (contract 9, 17). */
import { notFound, refusal, type Refusal } from "../../schemas/errors.ts"
import { tokenInvalid } from "../../schemas/vault/token.ts"
import type { PolicyCode } from "../../schemas/vault/records.ts"

type Refused = { readonly refused: Refusal }

const refused = (why: Refusal): Refused => ({ refused: why })

export const NO_VAULT = refused(notFound("vault"))
export const NOT_ACTIVE = refused(refusal("vault_not_active", "The vault has no key yet, or it is revoked."))
export const NO_ENTRY = refused(refusal("entry_unknown", "The vault has no such entry."))
export const NO_SOURCE = refused(notFound("source"))
export const NO_FILL = refused(notFound("fill"))
export const EXISTS = refused(refusal("vault_exists", "You have a vault already."))
export const KEY_TAKEN = refused(refusal("vault_key_taken", "This token has been used to load the key."))
export const EXPIRED = refused(refusal("fill_expired", "This fill has expired. Ask for a new one."))
export const DECLINED = refused(refusal("owner_declined", "Your owner does not allow this fill."))
export const CONSENT_PENDING = refused(refusal("consent_pending", "No owner has allowed this fill yet."))
export const NOBODY_TO_ASK = refused(
  refusal("owner_none", "An owner has to allow this fill, and nobody may now. Write the entry again for other owners.")
)
export const NOBODY_CONSENTS = refused(
  refusal(
    "owner_none",
    "No owner of yours may consent: one has to verify an e-mail address, declare you, and be confirmed.",
    { field: "consent" }
  )
)
export const UNSOLVED = refused(
  refusal("captcha_unsolved", "This fill's captchas have gone to the owners often enough.")
)
export const ENTRY_EXISTS = refused(
  refusal("vault_entry_exists", "The vault has an entry of this uid.", { field: "uid" })
)
export const TOKEN_INVALID = refused(tokenInvalid)
/** Another request for a token of the same place came later and was served first. */
export const OVERTAKEN = refused({
  ...tokenInvalid,
  message: "A newer request for a token of this place was served first. Ask for a new token."
})

export const fillsFull = (what: string, max: number): Refused =>
  refused(refusal("fills_pending_full", `A vault has at most ${max} fills that ${what}.`, { max }))

export const full = (what: string, max: number): Refused =>
  refused(refusal("vault_full", `A vault has at most ${max} ${what}.`, { max }))

export const widening = (field: string): Refused =>
  refused(
    refusal("vault_widening_refused", `${field} may only be narrowed: delete the entry, and write a new one.`, {
      field
    })
  )

const WORDS: Readonly<Record<PolicyCode, string>> = {
  kind_mismatch: "This entry is not for that action.",
  origin_mismatch: "This entry belongs to other websites.",
  origin_not_allowed: "This card may not be used at that shop.",
  page_not_https: "Nothing is filled into a page that is not https.",
  page_host_refused: "Nothing is filled into pages of addresses and local names.",
  currency_mismatch: "The card's limits are in another currency, or this is no amount of it.",
  amount_over_payment: "That is more than one payment may be.",
  amount_over_day: "That is more than is left of the day's limit.",
  fills_over_day: "The card may not be filled any more today."
}

export const byPolicy = (code: PolicyCode, details: Readonly<Record<string, unknown>> = {}): Refusal =>
  refusal(code, WORDS[code], details)
