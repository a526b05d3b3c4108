/**
 * Passes each request of the console to its page, its action or its stream.
 *
 * Invariants
 *  - Without a session only the login, one-time links, scripts, the icon and `/ready` can be reached.
 *  - Actions are carried out only by a POST from the console's own pages. It needs the token of its form
 *    (edge/kit/owner/form-token.ts).
 *  - Requests for another host are refused, except `/ready`. So a stranger's host name that points to this machine
 *    reaches no page.
 */
import { createHash, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { STATUS_CODES } from "node:http"
import { Effect } from "effect"
import { html, Html } from "../../edge/kit/html.ts"
import type { Call } from "../../edge/http/call.ts"
import { type Cookie, strictCookies } from "../../edge/http/cookies.ts"
import { crossSiteOf, fieldsOf } from "../../edge/http/form.ts"
import { EdgeLimits } from "../../edge/http/limits.ts"
import { type Refused, refuse } from "../../edge/http/refused.ts"
import { empty, plain, type Response, statusOf } from "../../edge/http/respond.ts"
import { PasswordHashing } from "../../edge/human/password-hash.ts"
import { Passkeys } from "../../edge/human/passkeys.ts"
import { People } from "../../edge/human/people.ts"
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import { takesPasskeys } from "../../schemas/console/settings.ts"
import { CONSOLE_SESSION_SECONDS } from "../../schemas/human/limits.ts"
import { passwordParameters } from "../../schemas/human/password.ts"
import { Fault } from "../cli/fault.ts"
import { CONSOLE_HEADERS, type Frame, type Framed, framed, type Inside } from "./frame.ts"
import type { Links } from "./links.ts"
import type { Live } from "./live.ts"
import {
  LOGIN_FORM,
  loginPage,
  logIn,
  logInByPasskey,
  PASSKEY_FORM,
  PASSKEY_PATH,
  passkeyPage,
  usedLinkPage
} from "./login.ts"
import { type Entered, type Guest, Operators } from "./operators.ts"
import type { ConsoleAction, ConsolePage, Download, Visit } from "./page.ts"
import type { ConsoleParts } from "./parts.ts"
import { actionNamed, pageAt } from "./routes.ts"
import { scriptAt } from "./scripts.ts"

type Served = Effect.Effect<Response | null, Refused>
type Fields = Readonly<Record<string, string>>
type Rendered = Awaited<ReturnType<ConsolePage["render"]>>

const LOGOUT_FORM = "logout"
const WHY_MAX_CHARS = 500
/** Characters that a URL and a header may contain. */
const PATH = /^\/[\x21-\x7e]*$/
/** The same status for every fault, so that it reveals nothing. */
const PASSKEY_REFUSED_STATUS = 403
const NOTICE_SECONDS = 60
const NOTICE_MAX_BYTES = 140
const UNIQUE_CHARS = 24
const FOREVER = "public, max-age=31536000, immutable"
const ICON = readFileSync(new URL("../../edge/docs/icon.svg", import.meta.url), "utf8")

const formRefused = refusal("form_token_invalid", "This form holds no longer. Open its page again.")
const otherHost = refusal(
  "bad_request",
  "The console does not have this name. Use the address that it was set up with."
)
const notLoggedIn = refusal("authentication_required", "Log in first.")
const full: Refusal = {
  code: "overloaded",
  message: "As many pages follow the console as may. Close one.",
  retryAfter: 5
}
const forAccounts = refusal("operator_required", "Log in with your account: a one-time link does not open this page.")

const pageResponse = (text: string, type: string, kept: string): Response => {
  const answer = plain(text, type)
  Object.assign(answer.headers, CONSOLE_HEADERS, { "cache-control": kept })
  return answer
}

const fileOf = ({ file, type, content }: Download): Response => {
  const answer = pageResponse(content, type, "no-store")
  answer.headers["content-disposition"] = `attachment; filename="${file}"`
  return answer
}

const formOfAction = (name: string): string => `act.${name}`

const unexpected = (error: unknown): boolean => !(error instanceof Fault)

export class Desk {
  private readonly parts: ConsoleParts
  private readonly pages: ReadonlyArray<ConsolePage>
  private readonly links: Links
  private readonly live: Live
  private readonly operators: Operators
  private readonly people: People
  private readonly passkeys: Passkeys
  private readonly takesPasskeys: boolean
  private readonly notice: Cookie
  private readonly frame: Frame
  private readonly host: string
  private readonly crossSite: (call: Call) => Refusal | null

  constructor(parts: ConsoleParts, pages: ReadonlyArray<ConsolePage>, links: Links, live: Live) {
    const { clock, config, service, bus } = parts
    const { url } = config.console
    this.parts = parts
    this.pages = pages
    this.links = links
    this.live = live
    this.operators = new Operators(parts, links)
    this.notice = strictCookies(url)("hub_console_notice")
    this.frame = { name: config.name, url, pages }
    this.host = new URL(url).host
    this.crossSite = crossSiteOf({ baseUrl: url, hosts: [this.host] })
    const { passwords_at_once: atOnce, passwords_waiting_max: waiting } = config.limits.service
    const limits = new EdgeLimits(clock, service.asker, config.limits, randomUUID)
    this.takesPasskeys = takesPasskeys(config.baseUrl, url)
    this.passkeys = new Passkeys({ bus, limits })
    this.people = new People({
      bus,
      config: { hub: config },
      limits,
      passwords: new PasswordHashing({ atOnce, waiting, parameters: passwordParameters(config.limits.service) })
    })
  }

  /** Answers a request. `null` if a stream has taken over the response. */
  answer(call: Call, response: ServerResponse): Served {
    return Effect.gen({ self: this }, function* () {
      if (call.path === "/ready") return pageResponse("ready\n", "text/plain; charset=utf-8", "no-store")
      if (call.header("host") !== this.host) return yield* refuse(otherHost)
      const refused = this.crossSite(call)
      if (refused !== null) return yield* refuse(refused)
      const isRead = call.method === "GET" || call.method === "HEAD"
      if (!isRead && call.method !== "POST") return yield* refuse(notFound("page"))
      const kept = isRead ? this.kept(call.path) : null
      if (kept !== null) return kept
      if (call.path === "/enter") return this.byLink(call)
      const entered = yield* this.operators.entered(call)
      if (call.path === "/login") return yield* this.login(call, entered, isRead)
      if (call.path === PASSKEY_PATH && this.takesPasskeys) return yield* this.byPasskey(call, entered, isRead)
      if (entered === null) return yield* this.outside(call, isRead)
      return yield* isRead ? this.read(call, entered, response) : this.posted(call, entered)
    })
  }

  refused(call: Call, why: Refusal): Response {
    const status = statusOf(why)
    if (why.retryAfter !== undefined) call.headers["retry-after"] = String(why.retryAfter)
    return this.said(status, STATUS_CODES[status] ?? "Refused", why.message)
  }

  said(status: number, title: string, message: string): Response {
    const main = html`<h1>${title}</h1>\n<p>${message}</p>\n<p><a href="/">The first page</a></p>`
    return framed(this.frame, { title, status, main }, null)
  }

  private kept(path: string): Response | null {
    if (path === "/favicon.svg") return pageResponse(ICON, "image/svg+xml", "public, max-age=86400")
    const script = scriptAt(path)
    return script === null ? null : pageResponse(script, "text/javascript; charset=utf-8", FOREVER)
  }

  private byLink(call: Call): Response {
    const token =
      call.method === "GET"
        ? this.links.enter(new URLSearchParams(call.search).get("key") ?? "", CONSOLE_SESSION_SECONDS)
        : null
    if (token === null) return framed(this.frame, usedLinkPage, null)
    this.operators.begin(call, token)
    return this.goTo("/")
  }

  private login(call: Call, entered: Entered | null, isRead: boolean): Served {
    const asked = isRead ? Object.fromEntries(new URLSearchParams(call.search)) : (fieldsOf(call) ?? {})
    const next = this.nextOf(asked["next"])
    if (entered !== null) return Effect.succeed(this.goTo(next))
    const guest = this.operators.guest(call)
    const places = { settings: `${this.parts.config.baseUrl}/owner/settings`, passkeys: this.takesPasskeys }
    if (isRead) return Effect.succeed(this.guestPage(loginPage(guest, places, { next })))
    return Effect.gen({ self: this }, function* () {
      yield* this.taken(call, guest, LOGIN_FORM, asked)
      const outcome = yield* logIn(this.people, call, asked)
      if (!outcome.ok) {
        const page = loginPage(guest, places, { email: asked["email"] ?? "", next }, outcome.problems)
        return this.guestPage({ ...page, status: outcome.status })
      }
      this.operators.begin(call, outcome.value.token)
      return this.goTo(next)
    })
  }

  private byPasskey(call: Call, entered: Entered | null, isRead: boolean): Served {
    const asked = isRead ? Object.fromEntries(new URLSearchParams(call.search)) : (fieldsOf(call) ?? {})
    const next = this.nextOf(asked["next"])
    if (entered !== null) return Effect.succeed(this.goTo(next))
    const guest = this.operators.guest(call)
    const shown = (problem: string | null) =>
      Effect.map(this.passkeys.challenge(call, guest.forms.bound(PASSKEY_FORM)), (challenge) =>
        this.guestPage({
          ...passkeyPage(guest, next, challenge, problem),
          status: problem === null ? 200 : PASSKEY_REFUSED_STATUS
        })
      )
    if (isRead) return shown(null)
    return Effect.gen({ self: this }, function* () {
      yield* this.taken(call, guest, PASSKEY_FORM, asked)
      const outcome = yield* logInByPasskey(this.passkeys, call, guest, asked)
      if ("problem" in outcome) return yield* shown(outcome.problem)
      this.operators.begin(call, outcome.token)
      return this.goTo(next)
    })
  }

  private outside(call: Call, isRead: boolean): Served {
    if (!isRead || call.path === "/events") return Effect.fail(refuse(notLoggedIn))
    const next = this.nextOf(call.path)
    return Effect.succeed(this.goTo(next === "/" ? "/login" : `/login?next=${encodeURIComponent(next)}`))
  }

  private read(call: Call, entered: Entered, response: ServerResponse): Served {
    if (call.path === "/events") return this.follow(call, entered, response)
    const found = pageAt(this.pages, call.path)
    if (found === null) return Effect.fail(refuse(notFound("page")))
    const { page, params } = found
    if (!this.mayOpen(page, entered)) return Effect.fail(refuse(forAccounts))
    const visit = this.visitOf(call, entered, params)
    return Effect.gen({ self: this }, function* () {
      const main = yield* this.rendered(page, visit)
      if (main === null) return yield* refuse(notFound("page"))
      if (!(main instanceof Html)) return "to" in main ? this.goTo(main.to) : fileOf(main)
      const { title, script } = page
      const notice = this.noticeOf(call)
      return framed(
        this.frame,
        { title, main, notice, ...(script === undefined ? {} : { script }) },
        this.inside(call, entered)
      )
    })
  }

  /** A fault of a command is shown to the operator as it is. */
  private rendered(page: ConsolePage, visit: Visit): Effect.Effect<Rendered> {
    return Effect.promise(() =>
      page.render(visit).catch((error: unknown) => {
        if (unexpected(error)) throw error
        return html`<h1>${page.title}</h1>\n<p class="problem">${(error as Fault).message}</p>`
      })
    )
  }

  private follow(call: Call, entered: Entered, response: ServerResponse): Served {
    const path = new URLSearchParams(call.search).get("page") ?? ""
    const found = pageAt(this.pages, path)
    const source = found?.page.live
    if (found === null || source === undefined) return Effect.fail(refuse(notFound("page")))
    if (!this.mayOpen(found.page, entered)) return Effect.fail(refuse(forAccounts))
    if (this.live.isFull) return Effect.fail(refuse(full))
    return Effect.sync(() => {
      const holds = (): Promise<boolean> =>
        Effect.runPromise(
          Effect.match(this.operators.entered(call), {
            onSuccess: (still) => still !== null,
            onFailure: () => true
          })
        )
      this.live.follow(path, source(this.parts, found.params), response, CONSOLE_HEADERS, holds)
      return null
    })
  }

  private posted(call: Call, entered: Entered): Served {
    const fields = fieldsOf(call) ?? {}
    if (call.path === "/logout")
      return Effect.gen({ self: this }, function* () {
        yield* this.taken(call, entered, LOGOUT_FORM, fields)
        yield* this.operators.leave(call, entered)
        return this.goTo("/login")
      })
    const name = call.path.startsWith("/act/") ? call.path.slice("/act/".length) : ""
    const found = actionNamed(this.pages, name)
    if (found === null) return Effect.fail(refuse(notFound("action")))
    if (!this.mayOpen(found.page, entered)) return Effect.fail(refuse(forAccounts))
    return Effect.gen({ self: this }, function* () {
      yield* this.taken(call, entered, formOfAction(name), fields)
      return yield* Effect.promise(() => this.acted(call, entered, found.action, fields))
    })
  }

  private async acted(call: Call, { operator }: Entered, action: ConsoleAction, fields: Fields): Promise<Response> {
    const why = (fields["why"] ?? "").trim()
    if (why === "" || why.length > WHY_MAX_CHARS)
      return this.said(422, action.button, `Say why, in 1 to ${WHY_MAX_CHARS} characters.`)
    let commands = 0
    const once = call.command ?? randomUUID()
    const unique = (): string =>
      createHash("sha256").update(`${once}.${commands++}`).digest("hex").slice(0, UNIQUE_CHARS)
    const command = this.parts.service.commandBy({ name: operator.name, why, unique })
    try {
      const { to, says } = await action.run({ parts: this.parts, operator, why, fields, once, command })
      const text = Buffer.from(says).subarray(0, NOTICE_MAX_BYTES).toString("base64url")
      this.notice.set(call, text, NOTICE_SECONDS)
      return this.goTo(to)
    } catch (error) {
      if (unexpected(error)) throw error
      return this.said(409, action.button, (error as Fault).message)
    }
  }

  private mayOpen({ who }: ConsolePage, { operator }: Entered): boolean {
    return who === "operator" || operator.by === "account"
  }

  private visitOf(call: Call, { operator, forms }: Entered, params: Visit["params"]): Visit {
    const form: Visit["form"] = (
      { name, button, says },
      fields
    ) => html`<form class="form" method="post" action="/act/${name}">
${forms.field(formOfAction(name))}<p>${says}</p>
${fields}<div class="field"><label for="why-${name}">Reason</label>
<input id="why-${name}" name="why" required maxlength="${WHY_MAX_CHARS}" autocomplete="off"></div>
<button>${button}</button>
</form>
`
    return { parts: this.parts, call, operator, params, query: new URLSearchParams(call.search), form }
  }

  private inside(call: Call, { operator, forms }: Entered): Inside {
    const logOut = html`<form method="post" action="/logout">
${forms.field(LOGOUT_FORM)}<button>Log out</button>
</form>
`
    return { operator, path: call.path, logOut }
  }

  private taken(call: Call, { forms }: Guest, form: string, fields: Fields): Effect.Effect<void, Refused> {
    return Effect.suspend(() => {
      call.command = forms.commandOf(form, fields["form_token"] ?? "", call.bodySha256)
      return call.command === null ? Effect.fail(refuse(formRefused)) : Effect.void
    })
  }

  private noticeOf(call: Call): string | null {
    const kept = this.notice.of(call)
    if (kept === null) return null
    this.notice.clear(call)
    return Buffer.from(kept, "base64url").toString("utf8")
  }

  private guestPage(page: Framed): Response {
    return framed(this.frame, page, null)
  }

  /** The path to continue at. It is always one of the console's own pages, whatever `next` is. */
  private nextOf(next: string | undefined): string {
    return next !== undefined && PATH.test(next) && pageAt(this.pages, next) !== null ? next : "/"
  }

  private goTo(path: string): Response {
    const answer = empty(303)
    Object.assign(answer.headers, CONSOLE_HEADERS, { location: path, "cache-control": "no-store" })
    return answer
  }
}
