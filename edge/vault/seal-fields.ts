/** Fields of the page that seals, by kind of entry. The server writes them and the script reads them. */
import type { EntryToSeal } from "../sdk/client/vault.ts"

export type Kind = EntryToSeal["kind"]

export interface SealField {
  /** The field's name inside the sealed entry. */
  readonly name: string
  readonly label: string
  /** True if the text is hidden while it is typed. */
  readonly isSecret?: true
  readonly isOptional?: true
  readonly isNumber?: true
  /** The object that the field is a member of. */
  readonly within?: "address" | "limits"
  readonly hint?: string
}

export interface SealKind {
  readonly kind: Kind
  readonly title: string
  readonly fields: ReadonlyArray<SealField>
  /**
   * The hint for websites, which is shown with label and consent. `null` if entries of this kind have none of the
   * three.
   */
  readonly websites: string | null
}

const address = (name: string, label: string): SealField => ({ name, label, within: "address", isOptional: true })

export const SEAL_KINDS: ReadonlyArray<SealKind> = [
  {
    kind: "login",
    title: "A login",
    fields: [
      { name: "username", label: "User name" },
      { name: "password", label: "Password", isSecret: true },
      { name: "email", label: "E-mail address", isOptional: true },
      {
        name: "totp",
        label: "Authenticator app's secret",
        isSecret: true,
        isOptional: true,
        hint: "The text beside the QR code, or the otpauth address in it."
      }
    ],
    websites: "The login is typed on these websites and nowhere else, one a line: https://shop.example"
  },
  {
    kind: "card",
    title: "A card",
    fields: [
      { name: "number", label: "Number", isSecret: true, isNumber: true },
      { name: "exp_month", label: "Expires, month", isNumber: true, hint: "Two digits: 04" },
      { name: "exp_year", label: "Expires, year", isNumber: true, hint: "Four digits: 2031" },
      { name: "cvc", label: "Security code", isSecret: true, isNumber: true },
      { name: "name", label: "Name on the card", isOptional: true },
      { name: "currency", label: "Currency of the limits", within: "limits", hint: "Three letters: EUR" },
      { name: "per_payment", label: "Most for one payment", within: "limits", hint: "An amount: 50" },
      { name: "per_day", label: "Most for a day", within: "limits", hint: "An amount: 100" },
      { name: "fills_per_day", label: "Payments a day", within: "limits", isNumber: true, hint: "A number: 5" }
    ],
    websites: "Shops where the card may be used, one a line. Without any it may be used in every shop."
  },
  {
    kind: "profile",
    title: "A profile",
    fields: [
      { name: "email", label: "E-mail address" },
      { name: "given_name", label: "Given name", isOptional: true },
      { name: "family_name", label: "Family name", isOptional: true },
      { name: "phone", label: "Phone", isOptional: true },
      address("line1", "Street and number"),
      address("line2", "Second line of the address"),
      address("postal_code", "Postal code"),
      address("city", "City"),
      address("country", "Country")
    ],
    websites: null
  },
  {
    kind: "secret",
    title: "Another secret",
    fields: [{ name: "value", label: "Secret", isSecret: true, hint: "A key, a PIN: one line." }],
    websites: "The secret is typed on these websites and nowhere else, one a line: https://shop.example"
  }
]

/** The id of a field's input. Its hint and its problem append a suffix. */
export const inputId = (kind: Kind, name: string): string => `seal-${kind}-${name}`
export const problemId = (input: string): string => `${input}-problem`

export const IDS = {
  open: "seal-open",
  token: "seal-token",
  told: "seal-told",
  form: "seal-form",
  whose: "seal-whose",
  kinds: "seal-kinds"
} as const
