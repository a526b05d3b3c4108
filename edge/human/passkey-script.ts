/**
 * The script that asks the browser for a passkey and sends it by the form of its button.
 *
 * Invariants
 *  - The policy of its pages allows only this script, by its hash. Its text is constant; variable data is in a field
 *    beside it.
 *  - It loads nothing, sends nothing itself, and writes into the page by `textContent` only.
 */
import { createHash } from "node:crypto"
import { html, type Html, markup } from "../kit/html.ts"
import { ownerPageHeaders, scriptedPolicy } from "../kit/owner/headers.ts"
import { hidden } from "../kit/owner/fields.ts"

const SCRIPT = `
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
const button = document.getElementById("passkey")
const told = document.getElementById("passkey-told")
const wanted = JSON.parse(document.getElementById("passkey-wanted").value)
const known = (one) => ({ ...one, id: bytes(one.id) })
const made = async () => {
  const user = { ...wanted.user, id: bytes(wanted.user.id) }
  const excludeCredentials = wanted.excludeCredentials.map(known)
  const publicKey = { ...wanted, challenge: bytes(wanted.challenge), user, excludeCredentials }
  const { rawId, response } = await navigator.credentials.create({ publicKey })
  const transports = response.getTransports ? response.getTransports() : []
  return { id: text(rawId), attestationObject: text(response.attestationObject), transports, of: response }
}
const signed = async () => {
  const publicKey = { ...wanted, challenge: bytes(wanted.challenge) }
  const { rawId, response } = await navigator.credentials.get({ publicKey })
  const { authenticatorData, signature, userHandle } = response
  const parts = { authenticatorData: text(authenticatorData), signature: text(signature) }
  return { id: text(rawId), ...parts, userHandle: text(userHandle ?? new ArrayBuffer(0)), of: response }
}
const ask = async () => {
  button.disabled = true
  told.textContent = "Your browser asks you now."
  try {
    const { of, ...answer } = await (wanted.user ? made() : signed())
    button.form.elements.answer.value = JSON.stringify({ ...answer, clientDataJSON: text(of.clientDataJSON) })
    button.form.submit()
  } catch (failed) {
    told.textContent = failed.name === "InvalidStateError"
      ? "This device has a passkey of your account already."
      : failed.name === "SecurityError"
        ? "Passkeys belong to the service's own name, and there are none at this address."
        : "Your browser gave no passkey. Try again, or go another way."
    button.disabled = false
  }
}
if (window.PublicKeyCredential && navigator.credentials) {
  button.hidden = false
  button.addEventListener("click", ask)
} else told.textContent = "Your browser knows no passkeys here."
`

/** The hash of the script, as a source in a content security policy. */
export const PASSKEY_SCRIPT = `'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`

export const passkeyPageHeaders: Readonly<Record<string, string>> = {
  ...ownerPageHeaders,
  "content-security-policy": scriptedPolicy(PASSKEY_SCRIPT)
}

/** The script and its fields, to be placed beside the form. `options` is the request to the browser, as JSON. */
export const passkeyScript = (options: string): Html => html`<p id="passkey-told" role="status"></p>
<noscript><p>This needs a script of this page, and your browser runs none.</p></noscript>
<input type="hidden" id="passkey-wanted" value="${options}">
<script>${markup(SCRIPT)}</script>`

/** The fields of a form that the passkey script fills in. */
export const passkeyFields = (challenge: string, button: string): Html =>
  html`${hidden("challenge", challenge)}${hidden("answer", "")}<button type="button" class="main" id="passkey" hidden>${button}</button>
`
