/**
 * Seals entries of a vault on this machine. The service cannot open their secrets.
 *
 *   const body = await sealEntry((await hub.get("/vault")).data, {
 *     kind: "login", origins: ["https://shop.example"], username: "ada", password, label: "Shop"
 *   })
 *   await hub.operations.writeVaultEntry(body)
 *
 * Invariants
 *  - The fields in clear are uid, kind, label, websites, limits and consent. They are copied by name, so no other field
 *    can be among them.
 *  - The box contains the uids of vault and entry, and also kind, websites, limits and consent. The fill service
 *    compares them with the fields in clear.
 */
import { VAULT_LIMITS } from "../../../schemas/vault/limits.ts"
import * as check from "./vault-checks.ts"
import { clientError, HubError, invalid } from "./errors.ts"
import { sealedBox, sealedChars } from "./sealed-box.ts"

interface CardLimitsToSeal {
  readonly currency: string
  readonly per_payment: string | number
  readonly per_day: string | number
  readonly fills_per_day: number
}

interface Common {
  /** The label is not sealed. */
  readonly label?: string
}

export interface LoginToSeal extends Common {
  readonly kind: "login"
  /** Websites in the form of `URL.origin`. */
  readonly origins: ReadonlyArray<string>
  readonly username: string
  readonly password: string
  readonly email?: string
  /** An `otpauth://totp/` address, or its secret in base32. */
  readonly totp?: string
  readonly passkey?: check.SealedPasskey
  /** If set, each fill waits for an owner's consent. */
  readonly consent?: "owner"
}

export interface CardToSeal extends Common {
  readonly kind: "card"
  /** Shops in which it may be used; any shop if omitted. */
  readonly origins?: ReadonlyArray<string>
  readonly limits: CardLimitsToSeal
  readonly number: string
  /** For example `"04"`. */
  readonly exp_month: string
  /** For example `"2031"`. */
  readonly exp_year: string
  readonly cvc: string
  readonly name?: string
  /** Every payment waits for an owner's consent, or only payments above a sum. */
  readonly consent?: "owner" | { readonly above: string | number; readonly currency: string }
}

/** All of its fields are sealed. A vault has one profile, which a new one replaces. */
export interface ProfileToSeal {
  readonly kind: "profile"
  readonly email: string
  readonly username?: string
  readonly given_name?: string
  readonly family_name?: string
  readonly company?: string
  readonly phone?: string
  readonly address?: check.SealedAddress
}

export interface SecretToSeal extends Common {
  readonly kind: "secret"
  readonly origins: ReadonlyArray<string>
  readonly value: string
  readonly consent?: "owner"
}

export type EntryToSeal = LoginToSeal | CardToSeal | ProfileToSeal | SecretToSeal

type EntryKind = EntryToSeal["kind"]

/** The vault to seal for: the answer of `GET /vault` for its agent, or of `GET /vault/source` for a source. */
export type SealingVault =
  | { readonly uid: string; readonly public_key: string | null }
  | { readonly vault: string; readonly public_key: string | null; readonly kinds: ReadonlyArray<EntryKind> }

/** The body of `POST /vault/entries`. */
export interface SealedEntry {
  readonly uid: string
  readonly kind: EntryKind
  readonly label?: string
  readonly origins?: ReadonlyArray<string>
  readonly limits?: check.SealedLimits
  readonly consent?: check.SealedConsent
  /** `hxv1.`, followed by base64. */
  readonly ciphertext: string
}

interface Checked {
  /** Fields that are stored in clear. Except for the label they are sealed as well. */
  readonly clear: Omit<SealedEntry, "uid" | "kind" | "ciphertext">
  readonly sealed: Readonly<Record<string, unknown>>
}

type GivenFields = Readonly<Record<string, unknown>>

const present = (fields: GivenFields): GivenFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Shorter secrets occur in labels by chance, so they are not searched for. */
const TELLING_CHARS = 4

const labelled = (given: GivenFields, ...secrets: ReadonlyArray<string | undefined>): { readonly label?: string } => {
  const telling = secrets.filter((secret) => secret !== undefined && secret.length >= TELLING_CHARS) as Array<string>
  const label = check.optional(given["label"], (value) => check.label(value, telling))
  return label === undefined ? {} : { label }
}

const consented = (given: GivenFields, currency: string | null): { readonly consent?: check.SealedConsent } => {
  const consent = check.optional(given["consent"], (value) => check.consent(value, currency))
  return consent === undefined ? {} : { consent }
}

const COMMON = ["kind", "label", "origins", "consent"]

const login = (value: unknown): Checked => {
  const given = check.fieldsIn("a login", value, [...COMMON, "username", "password", "email", "totp", "passkey"])
  const origins = check.origins(given["origins"], 1)
  const password = check.text("password", given["password"])
  const totp = check.optional(given["totp"], (one) => check.totp("totp", one))
  const consent = consented(given, null)
  return {
    clear: { origins, ...consent, ...labelled(given, password, totp) },
    sealed: {
      username: check.text("username", given["username"]),
      password,
      email: check.optional(given["email"], (one) => check.email("email", one)),
      totp,
      passkey: check.optional(given["passkey"], (one) => check.passkey(one, origins)),
      ...consent
    }
  }
}

const card = (value: unknown): Checked => {
  const known = [...COMMON, "limits", "number", "exp_month", "exp_year", "cvc", "name"]
  const given = check.fieldsIn("a card", value, known)
  const limits = check.limits(given["limits"])
  const consent = consented(given, limits.currency)
  const number = check.cardNumber("number", given["number"])
  return {
    clear: { origins: check.origins(given["origins"], 0), limits, ...consent, ...labelled(given, number) },
    sealed: {
      number,
      exp_month: check.month("exp_month", given["exp_month"]),
      exp_year: check.year("exp_year", given["exp_year"]),
      cvc: check.cvc("cvc", given["cvc"]),
      name: check.optional(given["name"], (one) => check.text("name", one)),
      limits,
      ...consent
    }
  }
}

const PROFILE = ["username", "given_name", "family_name", "company", "phone"]

const profile = (value: unknown): Checked => {
  const given = check.fieldsIn("a profile", value, ["kind", "email", ...PROFILE, "address"])
  const texts = PROFILE.map((name) => [name, check.optional(given[name], (one) => check.text(name, one))])
  return {
    clear: {},
    sealed: {
      email: check.email("email", given["email"]),
      ...Object.fromEntries(texts),
      address: check.optional(given["address"], check.address)
    }
  }
}

const secret = (value: unknown): Checked => {
  const given = check.fieldsIn("a secret", value, [...COMMON, "value"])
  const found = check.secretValue("value", given["value"])
  const consent = consented(given, null)
  return {
    clear: { origins: check.origins(given["origins"], 1), ...consent, ...labelled(given, found) },
    sealed: { value: found, ...consent }
  }
}

const KINDS: Readonly<Record<EntryKind, (value: unknown) => Checked>> = { login, card, profile, secret }

const isKind = (kind: unknown): kind is EntryKind => typeof kind === "string" && Object.hasOwn(KINDS, kind)

/** Returns the public key to seal to. Throws the refusal that the service would give, before anything is sealed. */
export const requireTaken = (vault: SealingVault, kind: EntryKind): string => {
  if ("kinds" in vault && !vault.kinds.includes(kind))
    throw new HubError({
      code: "vault_kind_not_allowed",
      message: `this source may write ${vault.kinds.join(", ")}, and no ${kind}`,
      details: { kinds: vault.kinds }
    })
  if (vault.public_key === null)
    throw new HubError({ code: "vault_not_active", message: "this vault has no key that anything could be sealed to" })
  return vault.public_key
}

/** Checks an entry and seals it. Throws `invalid_argument` with the name of the wrong field, never with its value. */
export const sealEntry = async (vault: SealingVault, entry: EntryToSeal): Promise<SealedEntry> => {
  const { kind } = entry
  if (!isKind(kind)) throw invalid("kind", `must be one of ${Object.keys(KINDS).join(", ")}`)
  const { clear, sealed } = KINDS[kind](entry)
  const publicKey = requireTaken(vault, kind)
  const uid = crypto.randomUUID()
  const about = { v: 1, vault: "kinds" in vault ? vault.vault : vault.uid, uid, kind, origins: clear.origins ?? [] }
  const plain = new TextEncoder().encode(JSON.stringify({ ...present(sealed), ...about }))
  if (sealedChars(plain.length) > VAULT_LIMITS.ciphertext_max_bytes)
    throw invalid(kind, `must have at most ${VAULT_LIMITS.ciphertext_max_bytes} characters when it is sealed`)
  const ciphertext = await sealedBox(publicKey, plain).catch((error: unknown) => {
    throw error instanceof TypeError
      ? clientError("answer_malformed", "the vault's public_key is no base64 of 32 bytes")
      : error
  })
  return { uid, kind, ...clear, ciphertext }
}
