/**
 * Common parts of all pages of the owner's space: sessions, forms bound to a browser, and redirects after forms.
 *
 * Invariants
 *  - A page for people with a session asks the account for it, so a session that has ended is refused by every edge.
 *    The cookie gives no right in the interface, and the interface's bearer token gives none here.
 *  - Only a POST changes anything. It must come from our own site (edge/http/form.ts) with a token of that form
 *    (edge/kit/owner/form-token.ts).
 *  - A form is answered by a redirect to a page that shows the result once. Some forms are answered by a page that
 *    shows a secret once.
 *  - No redirect leaves the owner's space: `next` names one of its pages, or nothing.
 *  - Addresses use the host of the request, because its cookies belong to that host.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { refusal } from "../../schemas/errors.ts"
import { isOwnerPath, OWNER_PATH } from "../../schemas/human/pages.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { withoutTrailing } from "../../schemas/text.ts"
import type { Bus } from "../bus/bus.ts"
import { bearerOf, personOf } from "./bearer.ts"
import type { Person } from "../http/person.ts"
import type { Call } from "../http/call.ts"
import { type Cookie, cookiesAt } from "../http/cookies.ts"
import { EndpointTable, PAGES } from "../http/endpoints.ts"
import type { EdgeLimits } from "../http/limits.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { empty, plain, type Response } from "../http/respond.ts"
import { HTML_TYPE } from "../../schemas/page.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { html, type Html } from "../kit/html.ts"
import { pageText, type Site } from "../kit/layout.ts"
import { withQuery } from "../kit/paths.ts"
import { Forms } from "../kit/owner/form-token.ts"
import { type Framing, memberPageText, type NavItem, waysOf } from "../kit/owner/frame.ts"
import { ownerPageHeaders } from "../kit/owner/headers.ts"
import { isNotice, type Notice, NOTICES } from "./notices.ts"
import { OWNER_STYLE } from "../kit/owner/style.ts"

/** A visitor without a session, or on a page that needs no session. */
export interface Guest {
  readonly forms: Forms
  readonly person: Person | null
}

export interface Member extends Guest {
  readonly person: Person
}

export interface OwnerPage {
  readonly title: string
  readonly main: Html
  readonly status?: number
  /** Replaces the headers that every page here has. */
  readonly headers?: Readonly<Record<string, string>>
}

export type PageAnswer = Effect.Effect<Response, Refused>

const BROWSER_BYTES = 32
/** Maximum time between a form and the page that shows its result. */
const NOTICE_SECONDS = 120

const HOLDS_NO_LONGER =
  "This form holds no longer: you have logged in or out since, or your browser keeps no cookies. Open its page again."
const formRefused = refusal("form_token_invalid", HOLDS_NO_LONGER)

const PATH = /^\/[A-Za-z0-9/_-]{1,200}$/

export class OwnerSpace {
  private readonly site: Site
  private readonly bus: Bus
  private readonly limits: EdgeLimits
  private readonly below: string
  private readonly session: Cookie
  private readonly browser: Cookie
  private readonly notice: Cookie
  private readonly ways: ReadonlyArray<NavItem>
  private readonly pages = new EndpointTable(PAGES.filter(({ path }) => isOwnerPath(path)))

  constructor({ bus, limits, config: { hub } }: Pick<EdgeParts, "bus" | "limits" | "config">) {
    this.site = hub
    this.bus = bus
    this.limits = limits
    this.ways = waysOf(hub.mail !== null)
    this.below = withoutTrailing(new URL(hub.baseUrl).pathname, "/")
    const cookie = cookiesAt(hub.baseUrl, OWNER_PATH)
    this.session = cookie("hub_owner")
    this.browser = cookie("hub_owner_form")
    this.notice = cookie("hub_owner_notice")
  }

  /** Serves a page that needs no session. Its forms are bound to a cookie of the browser. */
  asGuest(call: Call, serve: (guest: Guest) => PageAnswer): PageAnswer {
    return Effect.suspend(() => {
      let secret = this.browser.of(call)
      if (secret === null) {
        secret = randomBytes(BROWSER_BYTES).toString("base64url")
        this.browser.set(call, secret, null)
      }
      return serve({ forms: new Forms(secret), person: null })
    })
  }

  /** Serves a page for people without a session. People with a session are redirected. */
  asNewcomer(call: Call, next: string | undefined, serve: (guest: Guest) => PageAnswer): PageAnswer {
    return Effect.flatMap(this.member(call), (member) =>
      member === null ? this.asGuest(call, serve) : Effect.succeed(this.goTo(call, this.nextOf(next)))
    )
  }

  /** Serves a page for people with a session. Others are redirected to the login, and from there back. */
  asMember(call: Call, serve: (member: Member) => PageAnswer): PageAnswer {
    return Effect.flatMap(this.member(call), (member) =>
      member === null ? Effect.succeed(this.toLogIn(call)) : serve(member)
    )
  }

  private member(call: Call): Effect.Effect<Member | null, Refused> {
    const token = this.session.of(call)
    const bearer = token === null ? null : bearerOf(token)
    if (token === null || bearer === null) return Effect.succeed(null)
    return Effect.catch(
      Effect.map(personOf(this.bus, this.limits, call, bearer), (person) => ({ person, forms: new Forms(token) })),
      (failed) => (failed.refusal.code === "session_invalid" ? Effect.succeed(null) : Effect.fail(failed))
    )
  }

  /** Checks the form's token, and makes token and content the command of this request. */
  taken(
    call: Call,
    { forms }: Guest,
    form: string,
    { form_token = "" }: { readonly form_token?: string },
    content = call.bodySha256
  ) {
    return Effect.suspend(() => {
      call.command = forms.commandOf(form, form_token, content)
      return call.command === null ? Effect.fail(refuse(formRefused)) : Effect.void
    })
  }

  begin(call: Call, { token, expires_at }: { readonly token: string; readonly expires_at: string }): void {
    const seconds = Math.floor((Date.parse(expires_at) - wallMs(call.clock)) / 1000)
    this.session.set(call, token, Math.max(1, seconds))
  }

  /** Removes a session that the account has ended from the browser. */
  forget(call: Call): void {
    this.session.clear(call)
  }

  /** The path of a page, after the path of the installation's address. */
  at(path: string): string {
    return this.below + path
  }

  /** `next` if it is a page of the owner's space. Otherwise the overview. */
  nextOf(next: string | undefined): string {
    if (next === undefined || !PATH.test(next)) return OWNER_PATH
    return this.pages.match("GET", next).kind === "found" ? next : OWNER_PATH
  }

  goTo(call: Call, path: string, notice?: Notice): Response {
    if (notice !== undefined) this.notice.set(call, notice, NOTICE_SECONDS)
    call.headers["location"] = this.at(path)
    Object.assign(call.headers, ownerPageHeaders)
    return empty(303)
  }

  private toLogIn(call: Call): Response {
    if (this.session.of(call) !== null) this.forget(call)
    const next = this.nextOf(call.path)
    return this.goTo(call, withQuery("/owner/login", { next: next === OWNER_PATH ? null : next }))
  }

  page(call: Call, visit: Guest, { title, main, status = 200, headers }: OwnerPage): Response {
    const name = this.notice.of(call)
    if (name !== null) this.notice.clear(call)
    const notice = name !== null && isNotice(name) ? html`<p class="notice" role="status">${NOTICES[name]}</p>\n` : null
    Object.assign(call.headers, headers ?? ownerPageHeaders)
    const page = {
      title: `${title} · ${this.site.name}`,
      description: "For people who stand behind agents.",
      unlisted: true,
      style: OWNER_STYLE,
      main: html`${notice}${main}`
    }
    const text =
      visit.person === null ? pageText(this.site, page) : memberPageText(this.site, page, this.framing(call, visit))
    return plain(text, HTML_TYPE, status)
  }

  /** A form that posts to a page of the owner's space. `form` is the name that its token is bound to. */
  form({ forms }: Guest, form: string, path: string, fields: Html): Html {
    return html`<form class="form" method="post" action="${this.at(path)}">
${forms.field(form)}${fields}</form>
`
  }

  private framing(call: Call, visit: Guest): Framing {
    const logOut = this.form(visit, "logout", "/owner/logout", html`<button>Log out</button>\n`)
    return { path: call.path, ways: this.ways, at: (path) => this.at(path), logOut }
  }
}
