/**
 * `POST /signup`: makes, seals and stores a password before anything is typed, so that no account has a lost password.
 * The entry is marked as unconfirmed until the page has accepted the form.
 */
import { randomUUID } from "node:crypto"
import { sealEntry } from "../sdk/vault/seal.ts"
import type { SignupBody } from "./bodies.ts"
import { entriesFor } from "./entries.ts"
import { granted, type Service } from "./grant.ts"
import type { ButtonFact, Fact, Scan } from "./page/dom.ts"
import type { PageDocument } from "./document.ts"
import type { Page } from "./page.ts"
import { makePassword } from "./password.ts"
import { fieldsIn } from "./forms.ts"
import { attempt, type Filled, type Filling, placeIn } from "./place.ts"
import { Refused } from "./refusal.ts"
import { type Fill, needed, type Sealed, textIn } from "./sealed.ts"
import { type SignUpField, type SignupForm, signupIn } from "./signup-form.ts"
import { isTaken, NOT_SENT, sendForm } from "./submit.ts"
import { typeInto, typing } from "./typing.ts"

export interface SignedUp extends Filled {
  readonly left_empty: ReadonlyArray<string>
}

type Values = Readonly<Partial<Record<SignUpField, string>>>

const profileOf = async (filling: Filling, origin: string): Promise<Sealed> => {
  const [profile] = await entriesFor(filling.service.hub, { kind: "profile" })
  if (profile === undefined) return {}
  const wanted = { entry_id: profile.id, action: "signup", origin } as const
  let found: Sealed = {}
  await granted(filling, wanted, async (sealed) => {
    found = sealed
    return { filled: [], submitted: false }
  })
  return found
}

const valuesOf = (profile: Sealed, username: string | null): Values => {
  const text = (name: string): string | null => textIn(profile, name)
  const [given, family] = [text("given_name"), text("family_name")]
  const whole = [given, family].filter((part) => part !== null).join(" ")
  const all: Record<SignUpField, string | null> = {
    username: username ?? text("username"),
    // An account name that is an address is also used as the address.
    email: username?.includes("@") ? username : text("email"),
    given_name: given,
    family_name: family,
    name: whole === "" ? null : whole
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Values
}

/** The name that later logins use. */
const accountName = ({ fields }: SignupForm, { username, email }: Values): string =>
  (fields.some(({ asked }) => asked === "username") ? (username ?? email) : (email ?? username)) ?? ""

interface Stored {
  readonly id: number
}

const store = async (
  { hub, key }: Service,
  origin: string,
  {
    label,
    ...fields
  }: { readonly label: string | null; readonly username: string; readonly password: string; readonly email?: string }
): Promise<number> => {
  const uid = randomUUID()
  const origins = [origin]
  const { vault, public_key } = key
  const ciphertext = await sealEntry({ vault, public_key, uid, kind: "login", origins, fields })
  const body = { uid, kind: "login", label, origins, ciphertext, unconfirmed: true }
  return (await hub.ask<Stored>("POST", "/vault/entries", body)).id
}

const NAME_MAX_CHARS = 60
const EMPTY_SHOWN_MAX = 30

/** The fields that are still empty and visible, required ones first (contract 22). */
const emptyIn = (scan: Scan): Array<string> => {
  const found = signupIn(scan)
  if (found === null) return []
  const asked = new Map(found.fields.map(({ asked: name, field }) => [field.n, name]))
  const empty = fieldsIn(scan, found.form).filter(({ full }) => !full)
  const names = empty
    .toSorted((one, other) => Number(other.required) - Number(one.required))
    .map((field) => asked.get(field.n) ?? (field.label || field.name || field.hint || field.id || field.tag))
  return [...new Set(names.map((name) => name.slice(0, NAME_MAX_CHARS)))].slice(0, EMPTY_SHOWN_MAX)
}

const isForm = (scan: Scan): boolean => signupIn(scan) !== null
const submitOf = (scan: Scan): ButtonFact | null => signupIn(scan)?.submit ?? null

const typeForm = async (
  page: Page,
  document: PageDocument,
  { fields, passwords }: SignupForm,
  values: Values,
  password: string
): Promise<{ readonly done: Pick<SignedUp, "filled" | "left_empty">; readonly submit: ButtonFact | null }> => {
  const filled = new Set<string>()
  for (const { asked, field } of fields) {
    const value = values[asked]
    if (value === undefined) continue
    await typeInto(page, document, field.n, value)
    filled.add(asked)
  }
  for (const field of passwords) await typeInto(page, document, field.n, password)
  const scan = await document.scan()
  return { done: { filled: [...filled, "password"], left_empty: emptyIn(scan) }, submit: submitOf(scan) }
}

/** The entry in the form in which the vault will store it. */
const ownEntry = (origin: string): Pick<Fill, "entry"> => ({
  entry: { uid: "", kind: "login", origins: [origin], limits: null, consent: null }
})

export const signup = async (filling: Filling, body: SignupBody): Promise<SignedUp> => {
  const { service, page } = filling
  const { origin } = page
  const place = await placeIn(page, signupIn, async () => null)
  place.allowed({ origins: [origin] }, ownEntry(origin))
  const { document, found } = place
  const values = valuesOf(await profileOf(filling, origin), body.username)
  const [rules] = found.passwords as readonly [Fact, ...ReadonlyArray<Fact>]
  const password = makePassword(rules)
  const { email } = values
  const id = await store(service, origin, {
    label: body.label,
    username: accountName(found, values),
    password,
    ...(email === undefined ? {} : { email })
  })
  return granted(filling, { entry_id: id, action: "signup", origin }, async (sealed, fill, noted) => {
    const typed = await attempt(page, async () => {
      const made = needed(sealed, "password")
      const { done, submit } = await typing(document, () => typeForm(page, document, found, values, made))
      const sending = { document, find: submitOf, button: submit }
      const sent = body.submit ? await sendForm(filling, fill.fill_id, sending) : NOT_SENT
      return { site: origin, entry_id: id, ...done, ...sent }
    })
    noted.accepted = typed.submitted && (await isTaken(page, document, isForm))
    if (typed.submitted && !noted.accepted)
      throw new Refused("signup_not_accepted", "The page still shows the form: see what it wants.", {
        entry_id: id,
        filled: typed.filled,
        left_empty: typed.left_empty
      })
    return typed
  })
}
