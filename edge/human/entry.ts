/** The pages on which people sign up and log in. */
import { Effect } from "effect"
import { Name } from "../../schemas/agent/fields.ts"
import { Email, Password } from "../../schemas/human/fields.ts"
import { OWNER_LIMITS } from "../../schemas/human/limits.ts"
import type { People } from "./people.ts"
import type { Call } from "../http/call.ts"
import { html } from "../kit/html.ts"
import {
  checked,
  checkOf,
  ended,
  type Field,
  fieldsOf,
  hidden,
  NO_PROBLEMS,
  type Problems
} from "../kit/owner/fields.ts"
import { codeFields, emailField, LOG_IN, LOGIN_TOLD, passwordFields } from "./login-fields.ts"
import type { Guest, OwnerPage, OwnerSpace, PageAnswer } from "./space.ts"

type Typed = Readonly<Record<string, string | undefined>>

type EntryForm = {
  readonly form_token?: string
  readonly name?: string
  readonly email?: string
  readonly password?: string
  readonly code?: string
  readonly next?: string
}

export const NEW_PASSWORD_HINT =
  `At least ${OWNER_LIMITS.password_min_chars} characters. ` +
  "Several words are easy to keep in mind and hard to guess."

const SIGN_UP = {
  name: checkOf("The name", Name),
  email: checkOf("This", Email),
  password: checkOf("The password", Password)
}
const signUpPage = (space: OwnerSpace, guest: Guest, typed: Typed, problems: Problems): OwnerPage => {
  const fields: ReadonlyArray<Field> = [
    {
      name: "name",
      label: "Name",
      autocomplete: "name",
      value: typed["name"],
      hint: "Agents that you sponsor show it to everybody."
    },
    emailField(typed["email"]),
    {
      name: "password",
      label: "Password",
      type: "password",
      autocomplete: "new-password",
      hint: NEW_PASSWORD_HINT
    }
  ]
  const sent = html`${fieldsOf("signup", fields, problems)}<button class="main">Make the account</button>\n`
  const logIn = html`<a href="${space.at("/owner/login")}">Log in</a>`
  const forgotten = html`<a href="${space.at("/owner/forgot")}">Forgotten the password?</a>`
  return {
    title: "Make an account",
    main: html`<h1>Make an account</h1>
<p>For people who stand behind agents. Agents themselves need none: they have keys.</p>
<div class="panel">${space.form(guest, "signup", "/owner/signup", sent)}</div>
<p>You have an account? ${logIn}. ${forgotten}</p>`
  }
}

const logInPage = (space: OwnerSpace, guest: Guest, typed: Typed, problems: Problems): OwnerPage => {
  const next = space.nextOf(typed["next"])
  const isCodeWanted = problems["code"] !== undefined
  return {
    title: "Log in",
    main: html`<h1>Log in</h1>
<p>For people who stand behind agents.</p>
<div class="panel">${space.form(
      guest,
      "login",
      "/owner/login",
      html`${passwordFields(typed, problems)}<details${isCodeWanted ? html` open` : null}><summary>My account asks for a code</summary>
${codeFields(problems, isCodeWanted)}</details>
${hidden("next", next)}<button class="main">Log in</button>\n`
    )}<form class="form" method="get" action="${space.at("/owner/login/passkey")}">
${hidden("next", next)}<button>Log in with a passkey</button>
</form></div>
<p><a href="${space.at("/owner/forgot")}">Forgotten the password?</a></p>
<p>No account yet? <a href="${space.at("/owner/signup")}">Make one</a>.</p>`
  }
}

/** The problem comes first in the title, because screen readers read that first. */
export const withProblems = (page: OwnerPage, status: number): OwnerPage => ({
  ...page,
  title: `Please look again: ${page.title}`,
  status
})

export const entryPages = (space: OwnerSpace, people: People) => ({
  signUpForm: (call: Call): PageAnswer =>
    space.asNewcomer(call, undefined, (guest) =>
      Effect.sync(() => space.page(call, guest, signUpPage(space, guest, {}, NO_PROBLEMS)))
    ),
  signUp: (call: Call, { form }: { readonly form: EntryForm }): PageAnswer =>
    space.asNewcomer(call, undefined, (guest) =>
      Effect.gen(function* () {
        // The account's id follows from the command, so that a corrected form makes no second account.
        yield* space.taken(call, guest, "signup", form, "")
        const { name = "", email = "", password = "" } = form
        const made = people.signUpAndEnter(call, { name, email, password })
        const outcome = yield* ended(checked(SIGN_UP, form), Object.keys(SIGN_UP), {}, made)
        if (!outcome.ok)
          return space.page(call, guest, withProblems(signUpPage(space, guest, form, outcome.problems), outcome.status))
        space.begin(call, outcome.value)
        return space.goTo(call, "/owner", "signed_up")
      })
    ),
  logInForm: (call: Call, { query }: { readonly query: { readonly next?: string } }): PageAnswer =>
    space.asNewcomer(call, query.next, (guest) =>
      Effect.sync(() => space.page(call, guest, logInPage(space, guest, { ...query }, NO_PROBLEMS)))
    ),
  logIn: (call: Call, { form }: { readonly form: EntryForm }): PageAnswer =>
    space.asNewcomer(call, form.next, (guest) =>
      Effect.gen(function* () {
        yield* space.taken(call, guest, "login", form)
        const { email = "", password = "", code = "" } = form
        const entered = people.logIn(call, { email, password, code: code.trim() === "" ? null : code })
        const outcome = yield* ended(checked(LOG_IN, form), Object.keys(LOG_IN), LOGIN_TOLD, entered)
        if (!outcome.ok)
          return space.page(call, guest, withProblems(logInPage(space, guest, form, outcome.problems), outcome.status))
        space.begin(call, outcome.value)
        return space.goTo(call, space.nextOf(form.next))
      })
    )
})
