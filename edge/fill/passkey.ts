/**
 * Logs in with a passkey of a login's entry (contract 17). A virtual authenticator of the browser offers it to the page
 * for this one login.
 *
 * Invariants
 *  - It is offered only to the top document, on an origin that the passkey's `rp_id` covers. The browser checks the
 *    origin again before it answers.
 *  - At the end of the login, authenticator and key are removed from the browser in any case.
 */
import { CommandFailed } from "./cdp.ts"
import type { PageDocument } from "./document.ts"
import type { Page } from "./page.ts"
import type { ButtonFact, Scan } from "./page/dom.ts"
import { Refused } from "./refusal.ts"
import type { Sealed } from "./sealed.ts"
import { clickAt } from "./typing.ts"
import { plain, saysPasskey, saysSignup } from "./words.ts"

/** `rp_id` is a domain name. The other members are in base64. */
export interface Passkey {
  readonly credential_id: string
  readonly private_key: string
  readonly rp_id: string
  readonly user_handle: string
}

export const passkeyIn = ({ buttons }: Scan): ButtonFact | null =>
  buttons.find(({ text }) => saysPasskey(plain(text)) && !saysSignup(plain(text))) ?? null

const MEMBERS = ["credential_id", "private_key", "rp_id", "user_handle"] as const

const isPasskey = (value: unknown): value is Passkey =>
  typeof value === "object" &&
  value !== null &&
  MEMBERS.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === "string")

const covers = ({ rp_id }: Passkey, origin: string): boolean =>
  rp_id.includes(".") && `.${new URL(origin).hostname}`.endsWith(`.${rp_id}`)

/** The passkey that may be offered on this origin; `null` if the entry has none, or one for another website. */
export const sealedPasskey = ({ passkey }: Sealed, origin: string): Passkey | null =>
  isPasskey(passkey) && covers(passkey, origin) ? passkey : null

let newest = 0
/**
 * The signature counter. It must be greater than at any earlier login, because websites treat a counter that does not
 * grow as the sign of a copied key. The browser adds one.
 */
const nextCount = (): number => {
  newest = Math.max(newest + 1, Math.floor(Date.now() / 1000))
  return newest
}

const AUTHENTICATOR = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true
} as const

const offered = async (page: Page, authenticatorId: string, passkey: Passkey): Promise<void> => {
  const { credential_id: credentialId, private_key: privateKey, rp_id: rpId, user_handle: userHandle } = passkey
  const credential = { credentialId, privateKey, rpId, userHandle, isResidentCredential: true, signCount: nextCount() }
  try {
    await page.input("WebAuthn.addCredential", { authenticatorId, credential })
  } catch (error) {
    if (error instanceof CommandFailed)
      throw new Refused("sealed_mismatch", "The entry's passkey is none that the browser knows how to use.")
    throw error
  }
}

const ASSERTED_WITHIN_MS = 10_000
const LOOK_AGAIN_MS = 50

/** Presses the button, and waits until the page has the browser's answer. */
export const enterByPasskey = async (
  page: Page,
  document: PageDocument,
  { n }: ButtonFact,
  passkey: Passkey
): Promise<void> => {
  await page.check()
  await page.input("WebAuthn.enable", {})
  try {
    const added = await page.input("WebAuthn.addVirtualAuthenticator", { options: AUTHENTICATOR })
    const { authenticatorId } = added as { readonly authenticatorId: string }
    await offered(page, authenticatorId, passkey)
    const answered = page.heard("WebAuthn.credentialAsserted")
    if (!(await clickAt(page, document, n)))
      throw new Refused("field_not_found", "The page's button for passkeys cannot be pressed.")
    for (const until = Date.now() + ASSERTED_WITHIN_MS; !answered();) {
      if (Date.now() > until) throw new Refused("field_not_found", "The page did not ask for this passkey.")
      await new Promise((later) => setTimeout(later, LOOK_AGAIN_MS))
    }
  } finally {
    // This also removes the authenticators and the keys in them.
    await page.input("WebAuthn.disable", {}).catch(() => undefined)
  }
}
