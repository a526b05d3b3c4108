/**
 * `POST /login`: fills the step of a login that the page shows now. A login may have both fields on one page, or one
 * field on each of two pages, and then a code. If page and entry have a passkey, and the form is to be sent, the
 * passkey is used instead.
 */
import type { LoginBody } from "./bodies.ts"
import { entryFor, entryNamed } from "./entries.ts"
import { loginIn, type Steps } from "./forms.ts"
import { granted } from "./grant.ts"
import type { PageDocument } from "./document.ts"
import type { ButtonFact, Scan } from "./page/dom.ts"
import type { Page } from "./page.ts"
import { enterByPasskey, passkeyIn, sealedPasskey } from "./passkey.ts"
import { Refused } from "./refusal.ts"
import { needed, type Sealed, textIn } from "./sealed.ts"
import { attempt, type Filled, type Filling, placeIn } from "./place.ts"
import { isTaken, NOT_SENT, sendForm } from "./submit.ts"
import { totpOf } from "./totp.ts"
import { typeInto, typing } from "./typing.ts"

/** A field of type email accepts only an address. If the user name is no address, the entry's address is used. */
const usernameFor = (sealed: Sealed, { type }: { readonly type: string }): string => {
  const username = needed(sealed, "username")
  return type === "email" && !username.includes("@") ? (textIn(sealed, "email") ?? username) : username
}

const typeCode = async (page: Page, document: PageDocument, { otp }: Steps, sealed: Sealed): Promise<void> => {
  const secret = textIn(sealed, "totp")
  if (secret === null)
    throw new Refused("field_not_found", "The page asks for a code, and the entry holds no secret for one.")
  const code = totpOf(secret, Date.now())
  const [first, ...more] = otp
  if (first === undefined) return
  if (more.length === 0) return typeInto(page, document, first.n, code)
  if (otp.length !== code.length) throw new Refused("field_not_found", "The page asks for a code of another length.")
  for (const [at, field] of otp.entries()) await typeInto(page, document, field.n, code[at] ?? "")
}

const typeLogin = async (page: Page, document: PageDocument, steps: Steps, sealed: Sealed): Promise<Array<string>> => {
  const { username, password, otp } = steps
  const filled: Array<string> = []
  if (username !== null) {
    await typeInto(page, document, username.n, usernameFor(sealed, username))
    filled.push("username")
  }
  if (password !== null) {
    await typeInto(page, document, password.n, needed(sealed, "password"))
    filled.push("password")
  }
  if (otp.length > 0) {
    await typeCode(page, document, steps, sealed)
    filled.push("totp")
  }
  return filled
}

interface LoginForm {
  readonly form: number
  readonly steps: Steps | null
  readonly passkey: ButtonFact | null
}

const askedIn = (scan: Scan): LoginForm | null => {
  const [steps, passkey] = [loginIn(scan), passkeyIn(scan)]
  const form = steps?.form ?? passkey?.form
  return form === undefined ? null : { form, steps, passkey }
}

const NO_FIELDS = new Refused("form_not_found", "The page asks for a passkey alone, and the entry holds none for it.")

/** A page that shows fields of a login after sending has not accepted it. */
const isForm = (scan: Scan): boolean => loginIn(scan) !== null
const submitOf = (scan: Scan): ButtonFact | null => loginIn(scan)?.submit ?? null

export const login = async (filling: Filling, { entry_id, submit }: LoginBody): Promise<Filled> => {
  const { service, page } = filling
  const { origin } = page
  const id = entry_id ?? (await entryFor(service.hub, origin, "login")).id
  const sought = () => placeIn(page, askedIn, () => entryNamed(service.hub, "login", id))
  const first = await sought()
  return granted(filling, { entry_id: id, action: "login", origin }, (sealed, fill, noted) =>
    attempt(page, async () => {
      // The page may have changed while an owner was asked.
      const { document, found, allowed } = fill.consented ? await sought() : first
      allowed(sealed, fill)
      const passkey = submit && document === page.top ? sealedPasskey(sealed, origin) : null
      if (found.passkey !== null && passkey !== null) {
        await enterByPasskey(page, document, found.passkey, passkey)
        return { site: origin, entry_id: id, filled: ["passkey"], submitted: true }
      }
      if (found.steps === null) throw NO_FIELDS
      const { steps } = found
      const filled = await typing(document, () => typeLogin(page, document, steps, sealed))
      const sending = { document, find: submitOf, button: steps.submit }
      const sent = submit ? await sendForm(filling, fill.fill_id, sending) : NOT_SENT
      // A page that refuses a login still shows its form.
      if (sent.submitted && fill.entry.unconfirmed === true) noted.accepted = await isTaken(page, document, isForm)
      return { site: origin, entry_id: id, filled, ...sent }
    })
  )
}
