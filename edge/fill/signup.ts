/**
 * `POST /signup`: a password is made, sealed and stored before anything is typed, so that no account is ever made whose
 * password is lost. The entry is marked as unconfirmed until the page has taken the form.
 */
import { randomUUID } from "node:crypto"
import { sealEntry } from "../sdk/vault/seal.ts"
import type { SignupBody } from "./bodies.ts"
import { CommandFailed } from "./cdp.ts"
import { entriesFor } from "./entries.ts"
import { granted, type Service } from "./grant.ts"
import type { ButtonFact, Fact, Scan } from "./page/dom.ts"
import { type PageDocument, PageMoved } from "./document.ts"
import type { Page } from "./page.ts"
import { makePassword } from "./password.ts"
import { attempt, type Filled, type Filling, placeIn } from "./place.ts"
import { Refused } from "./refusal.ts"
import { type Fill, needed, type Sealed, textIn } from "./sealed.ts"
import { type Asked, type SignupForm, signupIn } from "./signup-form.ts"
import { NOT_SENT, sendForm } from "./submit.ts"
import { typeInto } from "./typing.ts"

export interface SignedUp extends Filled {
  readonly left_empty: ReadonlyArray<string>
}

type Values = Readonly<Partial<Record<Asked, string>>>

const ACCEPTED_WITHIN_MS = 10_000
const LOOK_AGAIN_MS = 100
const GONE_TIMES = 2

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
  const all: Record<Asked, string | null> = {
    username: username ?? text("username"),
    // Whoever names an address as the name of the account means it for the address as well.
    email: username?.includes("@") ? username : text("email"),
    given_name: given,
    family_name: family,
    name: whole === "" ? null : whole
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Values
}

/** The name that one logs in by later. */
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

const typeForm = async (
  page: Page,
  document: PageDocument,
  { fields, passwords }: SignupForm,
  values: Values,
  password: string
): Promise<{ readonly filled: Array<string>; readonly left_empty: Array<string> }> => {
  const [filled, left_empty] = [new Set<string>(), new Set<string>()]
  for (const { asked, field } of fields) {
    const value = values[asked]
    if (value === undefined) left_empty.add(asked)
    else {
      await typeInto(page, document, field.n, value)
      filled.add(asked)
    }
  }
  for (const field of passwords) await typeInto(page, document, field.n, password)
  return { filled: [...filled, "password"], left_empty: [...left_empty] }
}

/** `null`: there is no document to look at, since another is on its way. */
const shown = async (page: Page, within: PageDocument): Promise<boolean | null> => {
  try {
    const document = within === page.top ? await page.current() : within
    if (document.origin !== within.origin) return false
    return (await document.call<boolean>("isLoaded")) ? signupIn(await document.scan()) !== null : null
  } catch (error) {
    // A frame that is gone took its form along.
    if (error instanceof PageMoved || error instanceof CommandFailed) return within === page.top ? null : false
    throw error
  }
}

/** Whoever still shows the form has not taken it; it must be gone twice, since pages build up what they show. */
const accepted = async (page: Page, document: PageDocument): Promise<boolean> => {
  const until = Date.now() + ACCEPTED_WITHIN_MS
  let gone = 0
  while (Date.now() < until && gone < GONE_TIMES) {
    await new Promise((later) => setTimeout(later, LOOK_AGAIN_MS))
    gone = (await shown(page, document)) === false ? gone + 1 : 0
  }
  return gone === GONE_TIMES
}

const submitOf = (scan: Scan): ButtonFact | null => signupIn(scan)?.submit ?? null

/** As it will be stored. */
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
  return granted(filling, { entry_id: id, action: "signup", origin }, async (sealed, fill) => {
    const typed = await attempt(page, async () => {
      const done = await typeForm(page, document, found, values, needed(sealed, "password"))
      const sending = { document, find: submitOf, button: found.submit }
      const sent = body.submit ? await sendForm(filling, fill.fill_id, sending) : NOT_SENT
      return { site: origin, entry_id: id, ...done, ...sent }
    })
    if (typed.submitted && !(await accepted(page, document)))
      throw new Refused("signup_not_accepted", "The page still shows the form: see what it wants.", {
        entry_id: id,
        filled: typed.filled,
        left_empty: typed.left_empty
      })
    return typed
  })
}
