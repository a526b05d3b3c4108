/**
 * Pages of links in letters: confirming an address, and choosing a new password. GET changes nothing, because mail
 * scanners follow links too. A link does not sign in.
 */
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { Email, Password } from "../../schemas/human/fields.ts"
import type { Bus } from "../bus/bus.ts"
import { linkOf } from "./links.ts"
import type { People } from "./people.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import { type Response, statusOf } from "../http/respond.ts"
import { html } from "../kit/html.ts"
import { NEW_PASSWORD_HINT, withProblems } from "./entry.ts"
import { emailField } from "./login-fields.ts"
import {
  checked,
  checkOf,
  ended,
  type Field,
  fieldsOf,
  hidden,
  NO_PROBLEMS,
  type Problems,
  whosePassword
} from "../kit/owner/fields.ts"
import type { Guest, OwnerPage, OwnerSpace, PageAnswer } from "./space.ts"

type Linked = {
  readonly token?: string
}

type LetterForm = Linked & {
  readonly form_token?: string
  readonly email?: string
  readonly password?: string
}

const FORGOT = { email: checkOf("This", Email) }
const RESET = { password: checkOf("The password", Password) }

const forgotPage = (space: OwnerSpace, guest: Guest, email: string | undefined, problems: Problems): OwnerPage => {
  const address = fieldsOf("forgot", [emailField(email)], problems)
  const sent = html`${address}<button class="main">Send me the letter</button>\n`
  return {
    title: "Forgotten password",
    main: html`<h1>Forgotten password</h1>
<p>A letter to your address brings a link, by which you choose a new password.</p>
${space.form(guest, "forgot", "/owner/forgot", sent)}<p><a href="${space.at("/owner/login")}">Log in</a></p>`
  }
}

interface Resetting {
  readonly token: string
  readonly email: string
}

const resetPage = (space: OwnerSpace, guest: Guest, { token, email }: Resetting, problems: Problems): OwnerPage => {
  const field: Field = {
    name: "password",
    label: "New password",
    type: "password",
    autocomplete: "new-password",
    hint: NEW_PASSWORD_HINT
  }
  const chosen = html`${whosePassword(email)}${fieldsOf("reset", [field], problems)}${hidden("token", token)}`
  const sent = html`${chosen}<button class="main">Choose this password</button>\n`
  return {
    title: "Choose a new password",
    main: html`<h1>Choose a new password</h1>
<p>For the account of ${email}. All its sessions end with it, wherever they are.</p>
${space.form(guest, "reset", "/owner/forgot", sent)}`
  }
}

const verifyPage = (space: OwnerSpace, guest: Guest, token: string): OwnerPage => ({
  title: "Confirm your address",
  main: html`<h1>Confirm your address</h1>
<p>You have come by the link of a letter of ours. One step is left.</p>
<p>Did you make the account yourself? If somebody else did, with your address, leave this page: choose
<a href="${space.at("/owner/forgot")}">a new password</a> instead, and the account is yours alone.</p>
${space.form(guest, "verify", "/owner/verify", html`${hidden("token", token)}<button class="main">Confirm my address</button>\n`)}`
})

const LINK_CODES: ReadonlySet<string> = new Set(["token_invalid", "token_expired"])

const deadLinkPage = (
  space: OwnerSpace,
  refused: Refusal,
  another: "/owner/forgot" | "/owner/settings"
): OwnerPage => ({
  title: "This link holds no longer",
  status: statusOf(refused),
  main: html`<h1>This link holds no longer</h1>
<p>${refused.message}</p>
<p><a href="${space.at(another)}">Ask for another letter</a></p>`
})

export const letterPages = (space: OwnerSpace, people: People, bus: Bus) => {
  /** Serves, or shows a page which says that the link is no longer valid. */
  const ofLink = (
    call: Call,
    guest: Guest,
    another: "/owner/forgot" | "/owner/settings",
    serve: Effect.Effect<Response, Refused>
  ): PageAnswer =>
    Effect.catch(serve, (failed) =>
      LINK_CODES.has(failed.refusal.code)
        ? Effect.sync(() => space.page(call, guest, deadLinkPage(space, failed.refusal, another)))
        : Effect.fail(failed)
    )

  const asked = Effect.fnUntraced(function* (call: Call, guest: Guest, form: LetterForm) {
    yield* space.taken(call, guest, "forgot", form)
    const outcome = yield* ended(checked(FORGOT, form), ["email"], {}, people.forgot(call, form.email ?? ""))
    return outcome.ok
      ? space.goTo(call, "/owner/forgot", "letter_asked")
      : space.page(call, guest, withProblems(forgotPage(space, guest, form.email, outcome.problems), outcome.status))
  })

  const resetting = (call: Call, token: string): Effect.Effect<Resetting, Refused> =>
    Effect.gen(function* () {
      const { human, token: hash } = yield* linkOf(token)
      const { email } = yield* bus.read(call, { actor: human, op: "human.reset_link", input: { token: hash } })
      return { token, email }
    })

  const chosen = Effect.fnUntraced(function* (call: Call, guest: Guest, form: LetterForm, token: string) {
    yield* space.taken(call, guest, "reset", form)
    const link = yield* linkOf(token)
    const reset = people.reset(call, link, form.password ?? "")
    const outcome = yield* ended(checked(RESET, form), ["password"], {}, reset)
    if (!outcome.ok) {
      const page = resetPage(space, guest, yield* resetting(call, token), outcome.problems)
      return space.page(call, guest, withProblems(page, outcome.status))
    }
    space.forget(call)
    return space.goTo(call, "/owner/login", "password_chosen")
  })

  return {
    forgotForm: (call: Call, { query: { token } }: { readonly query: Linked }): PageAnswer =>
      space.asGuest(call, (guest) => {
        if (token === undefined)
          return Effect.sync(() => space.page(call, guest, forgotPage(space, guest, undefined, NO_PROBLEMS)))
        const shown = Effect.map(resetting(call, token), (of) =>
          space.page(call, guest, resetPage(space, guest, of, NO_PROBLEMS))
        )
        return ofLink(call, guest, "/owner/forgot", shown)
      }),
    forgot: (call: Call, { form }: { readonly form: LetterForm }): PageAnswer =>
      space.asGuest(call, (guest) =>
        form.token === undefined
          ? asked(call, guest, form)
          : ofLink(call, guest, "/owner/forgot", chosen(call, guest, form, form.token))
      ),
    verifyForm: (call: Call, { query: { token = "" } }: { readonly query: Linked }): PageAnswer =>
      space.asGuest(call, (guest) =>
        ofLink(
          call,
          guest,
          "/owner/settings",
          Effect.map(linkOf(token), () => space.page(call, guest, verifyPage(space, guest, token)))
        )
      ),
    verify: (call: Call, { form }: { readonly form: LetterForm }): PageAnswer =>
      space.asGuest(call, (guest) =>
        ofLink(
          call,
          guest,
          "/owner/settings",
          Effect.gen(function* () {
            yield* space.taken(call, guest, "verify", form)
            const { human, token } = yield* linkOf(form.token ?? "")
            yield* bus.ask(call, { actor: human, op: "human.confirm_address", input: { token } })
            return space.goTo(call, "/owner", "address_confirmed")
          })
        )
      )
  }
}
