/**
 * The token in each form of the owner's space: a random nonce, and a seal that depends on the nonce, the browser's
 * cookie and the form.
 *
 * Invariants
 *  - The key is derived from the cookie: the session's token, or a random value before a session. Edges do not store
 *    it. A token is therefore not accepted from another browser, after another login, or in another form.
 *  - Seals are compared in constant time.
 *  - The command id is derived from the nonce and the content. A form that is sent twice is one command for the
 *    account, which gives the first answer again. With another button or text it is another command, which the account
 *    decides on. The id is derived with the same key, so that it cannot collide with another browser's.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { html, type Html } from "../html.ts"

const NONCE_BYTES = 16
const TOKEN = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/
const COMMAND_CHARS = 32

export class Forms {
  private readonly key: Buffer

  constructor(cookie: string) {
    this.key = createHmac("sha256", "HUB-OWNER-FORM-V1").update(cookie).digest()
  }

  field(form: string): Html {
    const nonce = randomBytes(NONCE_BYTES).toString("base64url")
    const token = `${nonce}.${this.derived("seal", form, nonce).toString("base64url")}`
    return html`<input type="hidden" name="form_token" value="${token}">\n`
  }

  /**
   * The command id of a form with this token and content. `null` if the token is not of this browser and this form.
   * `content`: a hash of the fields, or the empty text if the form is one command whatever it contains.
   */
  commandOf(form: string, token: string, content: string): string | null {
    const [, nonce, seal] = TOKEN.exec(token) ?? []
    if (nonce === undefined || seal === undefined) return null
    const given = Buffer.from(seal, "base64url")
    const right = this.derived("seal", form, nonce)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null
    return this.derived("command", form, `${nonce}\n${content}`).toString("hex").slice(0, COMMAND_CHARS)
  }

  /** A value that only this browser can produce for a form of this name. */
  bound(form: string): string {
    return this.derived("bound", form, "").toString("hex")
  }

  private derived(use: "seal" | "command" | "bound", form: string, nonce: string): Buffer {
    return createHmac("sha256", this.key).update(`${use}\n${form}\n${nonce}`).digest()
  }
}
