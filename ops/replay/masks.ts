/**
 * Masks texts that nobody should read on a screen, in a ticket or in a fixture: sealed secrets, answers to questions,
 * tokens, private messages, notes of bookmarks.
 *
 * Invariants
 *  - Texts are masked by the field's name, and also by their form in fields of any name.
 *  - One masker gives the same mask to the same secret. So a reader can see that two secrets are the same, or that a
 *    secret has changed.
 *  - A mask is a serial number. It is not derived from the secret, because a hash of a short answer could be guessed.
 */
const SECRET_NAMES = /secret|password|passphrase|token|private_?key|bypass|^answers$/i
const SECRET_TEXTS = /^sealed\d+\.|whsec_|PRIVATE KEY/
/**
 * Boxes for hosts of compartments have no prefix. They are base64 and longer than hashes and signatures, because each
 * contains its purpose. A public key may be as long, and need not be masked.
 */
const BOX_TEXT = /^[A-Za-z0-9+/]{130,}={0,2}$/
const PUBLIC_NAMES = /public_?key$/i
/**
 * Right answers are beside a prompt. Other fields with this name, such as the answer to an appeal, need not be masked.
 */
const isQuestion = (value: object): boolean => "prompt" in value
/** Texts of a private message are beside the conversation's name: in events, rows and notifications. */
const isOfConversation = (value: object): boolean => "conversation" in value || "conversation_id" in value
const WORDS = /^(body|excerpt)$/
/** The note of a bookmark is beside its target. A report also has a target and a note, but in addition a reason. */
const isBookmark = (value: object): boolean => "target_id" in value && !("reason" in value)
/** Fields that operators may see, but that must not be in a file for others: an address may contain a token. */
const PRIVATE_NAMES = /^webhook_url$/

/** Parts below this depth are masked completely. The service's own data is less deep. */
const DEPTH_MAX = 200
/** True for a delivery's event or state. */
const isDelivery = (value: object): boolean => "about" in value && "receiver" in value

const isSecretText = (text: string, name: string): boolean =>
  SECRET_TEXTS.test(text) || (BOX_TEXT.test(text) && !PUBLIC_NAMES.test(name))

export class Masker {
  private readonly masks = new Map<string, string>()
  private last = 0
  private readonly names: ReadonlyArray<RegExp>

  /** `passedOn` is true if the result is for people other than the operators. */
  constructor({ passedOn = false }: { readonly passedOn?: boolean } = {}) {
    this.names = passedOn ? [SECRET_NAMES, PRIVATE_NAMES] : [SECRET_NAMES]
  }

  mask<T>(value: T): T {
    return this.inner(value) as T
  }

  private inner(value: unknown, name = "", depth = 0): unknown {
    if (typeof value === "string") return isSecretText(value, name) ? this.maskOf(value) : value
    if (typeof value !== "object" || value === null) return value
    if (depth > DEPTH_MAX) return `[secret ${++this.last}]`
    if (Array.isArray(value)) return value.map((one) => this.inner(one, name, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.member(key, inner, value, depth + 1)])
    )
  }

  private member(name: string, value: unknown, of: object, depth: number): unknown {
    if (this.isSecret(name, value, of)) return this.maskOf(value)
    return name === "body" && typeof value === "string" && isDelivery(of)
      ? this.payload(value, depth)
      : this.inner(value, name, depth)
  }

  /** The body of a delivery is JSON made by the service. Its content is masked, or all of it if it is not JSON. */
  private payload(value: string, depth: number): unknown {
    try {
      const payload: unknown = JSON.parse(value)
      const masked = this.inner(payload, "body", depth)
      return JSON.stringify(masked) === JSON.stringify(payload) ? value : JSON.stringify(masked)
    } catch (error) {
      if (error instanceof SyntaxError) return this.maskOf(value)
      throw error
    }
  }

  /** Flags and missing values reveal nothing. */
  private isSecret(name: string, value: unknown, of: object): boolean {
    return (
      value !== null &&
      value !== undefined &&
      value !== "" &&
      typeof value !== "boolean" &&
      ((name === "answer" && isQuestion(of)) ||
        (WORDS.test(name) && isOfConversation(of)) ||
        (name === "note" && isBookmark(of)) ||
        this.names.some((pattern) => pattern.test(name)))
    )
  }

  private maskOf(secret: unknown): string {
    const before = typeof secret === "string" ? MASK.exec(secret)?.[1] : undefined
    if (before !== undefined) {
      // A history that was masked before keeps its masks, and new ones get higher numbers.
      this.last = Math.max(this.last, Number(before))
      return `[secret ${before}]`
    }
    const text = JSON.stringify(secret)
    const known = this.masks.get(text) ?? `[secret ${++this.last}]`
    this.masks.set(text, known)
    return known
  }
}

const MASK = /^\[secret (\d+)\]$/
