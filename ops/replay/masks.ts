/**
 * Masks texts that nobody should read off a screen, out of a ticket or out of a fixture: sealed secrets, answers to
 * questions, tokens, private messages, notes of bookmarks.
 *
 * Invariants
 *  - Masked by the field's name, and by what a text looks like, whatever its field is called.
 *  - One secret has one mask, as long as one masker is used: that two are the same, or that one was changed, stays
 *    visible.
 *  - A mask is a number, made of nothing: a hash of a short answer could be guessed.
 */
const SECRET_NAMES = /secret|password|passphrase|token|private_?key|bypass|^answers$/i
const SECRET_TEXTS = /^sealed\d+\.|whsec_|PRIVATE KEY/
/**
 * Boxes that hosts of compartments open have no head: base64 alone, longer than hashes and signatures, for each says
 * inside what it is for. A public key may be as long, and is meant to be read.
 */
const BOX_TEXT = /^[A-Za-z0-9+/]{130,}={0,2}$/
const PUBLIC_NAMES = /public_?key$/i
/** Right answers stand beside what was asked; an answer elsewhere, as to an appeal, is meant to be read. */
const isQuestion = (value: object): boolean => "prompt" in value
/** Words of a private message stand beside the conversation that they are of: in events, rows and notifications. */
const isOfConversation = (value: object): boolean => "conversation" in value || "conversation_id" in value
const WORDS = /^(body|excerpt)$/
/** The note of a bookmark stands beside its target. A report has a target and a note too, and a reason. */
const isBookmark = (value: object): boolean => "target_id" in value && !("reason" in value)
/** Visible to whoever runs the service, but not for a file that is passed on: an address may contain a token. */
const PRIVATE_NAMES = /^webhook_url$/

/** Deeper parts are masked whole: nothing of the service's own is. */
const DEPTH_MAX = 200
/** In its event and in its state. */
const isDelivery = (value: object): boolean => "about" in value && "receiver" in value

const isSecretText = (text: string, name: string): boolean =>
  SECRET_TEXTS.test(text) || (BOX_TEXT.test(text) && !PUBLIC_NAMES.test(name))

export class Masker {
  private readonly masks = new Map<string, string>()
  private last = 0
  private readonly names: ReadonlyArray<RegExp>

  /** `passedOn`: the result leaves the hands of whoever runs the service. */
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

  /** A delivery's body is JSON made by the service. Its content is masked, or all of it if it is no JSON. */
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

  /** Flags and absent values tell nothing. */
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
      // A history that was masked before keeps its masks, and new ones are numbered after them.
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
