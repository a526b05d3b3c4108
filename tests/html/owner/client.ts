/** A person at the owner's space as a browser is one: it keeps cookies, reads forms off pages and sends them. */
import { randomBytes } from "node:crypto"
import { type Answer, send } from "../../support/http.ts"
import { quietPassword } from "../../support/person.ts"

const HTML = { accept: "text/html,application/xhtml+xml" }

export type Fields = Readonly<Record<string, string>>

export interface Form {
  readonly action: string
  /** Those that are hidden. */
  readonly fields: Fields
}

const attributeOf = (tag: string, name: string): string =>
  (new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "").replaceAll("&amp;", "&")

/** Every form of a page. */
export const formsOf = (text: string): ReadonlyArray<Form> =>
  [...text.matchAll(/<form ([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = "", body = ""]) => ({
    action: attributeOf(` ${head}`, "action"),
    fields: Object.fromEntries(
      [...body.matchAll(/<input type="hidden"[^>]*>/g)].map(([tag]) => [
        attributeOf(tag, "name"),
        attributeOf(tag, "value")
      ])
    )
  }))

export const headingOf = ({ text }: Answer): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? ""
export const noticeOf = ({ text }: Answer): string => /<p class="notice" role="status">([^<]*)</.exec(text)?.[1] ?? ""
/** The rows of one section of a page, which its heading's id names. */
export const rowsOf = ({ text }: Answer, section: string): number => {
  const [, after = ""] = text.split(`<h2 id="${section}">`)
  return (after.split("</section>")[0] ?? "").split('<li class="row">').length - 1
}
export const problemsOf = ({ text }: Answer): ReadonlyArray<string> =>
  [...text.matchAll(/<p class="problem"[^>]*>([^<]*)</g)].map(([, problem]) => problem ?? "")

export class OwnerClient {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly cookies = new Map<string, string>()
  readonly #edge: () => string

  constructor(edge: () => string) {
    this.#edge = edge
    this.name = "Grace Hopper"
    this.email = `owner-${randomBytes(6).toString("hex")}@example.com`
    this.password = quietPassword()
  }

  async get(path: string, headers: Fields = {}): Promise<Answer> {
    return this.#kept(await send({ edge: this.#edge(), method: "GET", path, headers: this.#headers(headers) }))
  }

  async post(path: string, fields: Fields, headers: Fields = {}): Promise<Answer> {
    const type = { "content-type": "application/x-www-form-urlencoded" }
    const body = new URLSearchParams(fields).toString()
    const sent = { ...type, "sec-fetch-site": "same-origin", ...headers }
    return this.#kept(await send({ edge: this.#edge(), method: "POST", path, headers: this.#headers(sent), body }))
  }

  /** The form of a page that is sent there, and holds `like`. */
  async form(page: string, action = page, like: Fields = {}): Promise<Form> {
    const forms = formsOf((await this.get(page)).text)
    const found = forms.find(
      (form) => form.action === action && Object.entries(like).every(([name, value]) => form.fields[name] === value)
    )
    if (found === undefined) throw new Error(`There is no such form at ${page}`)
    return found
  }

  /** Opens the page, fills in its form and sends it. */
  async fill(page: string, fields: Fields, action = page, like: Fields = {}): Promise<Answer> {
    const form = await this.form(page, action, like)
    return this.post(form.action, { ...form.fields, ...fields })
  }

  /** What a redirect leads to. */
  follow(answer: Answer): Promise<Answer> {
    return this.get(answer.headers.location ?? "/nowhere")
  }

  signUp(): Promise<Answer> {
    const { name, email, password } = this
    return this.fill("/owner/signup", { name, email, password })
  }

  logIn(password = this.password): Promise<Answer> {
    return this.fill("/owner/login", { email: this.email, password })
  }

  logOut(): Promise<Answer> {
    return this.fill("/owner", {}, "/owner/logout")
  }

  change(action: string, fields: Fields, like: Fields = {}): Promise<Answer> {
    return this.fill("/owner/settings", fields, "/owner/settings", { action, ...like })
  }

  get session(): string | undefined {
    return this.cookies.get("hub_owner")
  }

  /** As they were set last, with all that was said of them. */
  readonly set = new Map<string, string>()

  /** Another browser of the same person. */
  another(): OwnerClient {
    const { email, password } = this
    return Object.assign(new OwnerClient(this.#edge), { email, password })
  }

  /** An empty one is left out. */
  #headers(more: Fields): Fields {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const all = { ...HTML, cookie, ...more }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""))
  }

  #kept(answer: Answer): Answer {
    for (const line of answer.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.set.set(name, line)
      if (line.includes("Max-Age=0")) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }
}
