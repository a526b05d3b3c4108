/** Pages that add a passkey, and that log in by one. */
import { Effect } from "effect"
import { Passkeys } from "./passkeys.ts"
import type { Call } from "../http/call.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { withProblems } from "./entry.ts"
import { ended, NO_PROBLEMS } from "../kit/owner/fields.ts"
import { ADD_FORM, LOGIN_FORM, notAddedPage, passkeyLogInPage } from "./passkey-view.ts"
import { SETTINGS_PATH } from "./settings-view.ts"
import type { Guest, OwnerSpace, PageAnswer } from "./space.ts"

interface PasskeyForm {
  readonly form_token?: string
  readonly answer?: string
  readonly challenge?: string
  readonly next?: string
}

const NOT_ACCEPTED =
  "The passkey was not accepted: it may have been removed, or the page was open for too long. Try again, or log in with your password."
const REFUSED_STATUS = 403

export const passkeyPages = (space: OwnerSpace, parts: EdgeParts) => {
  const passkeys = new Passkeys(parts)

  const logInPage = (call: Call, guest: Guest, next: string | undefined, problem: string | null): PageAnswer =>
    Effect.map(passkeys.challenge(call, guest.forms.bound(LOGIN_FORM)), (challenge) => {
      const page = passkeyLogInPage(space, guest, space.nextOf(next), challenge, problem)
      return space.page(call, guest, problem === null ? page : withProblems(page, REFUSED_STATUS))
    })

  return {
    passkeyForm: (call: Call, { query }: { readonly query: { readonly next?: string } }): PageAnswer =>
      space.asNewcomer(call, query.next, (guest) => logInPage(call, guest, query.next, null)),
    logInByPasskey: (call: Call, { form }: { readonly form: PasskeyForm }): PageAnswer =>
      space.asNewcomer(call, form.next, (guest) =>
        Effect.gen(function* () {
          yield* space.taken(call, guest, LOGIN_FORM, form)
          const { answer = "", challenge = "" } = form
          const entered = passkeys.logIn(call, { answer, challenge }, guest.forms.bound(LOGIN_FORM))
          const outcome = yield* ended(NO_PROBLEMS, ["passkey"], {}, entered)
          if (!outcome.ok) return yield* logInPage(call, guest, form.next, NOT_ACCEPTED)
          space.begin(call, outcome.value)
          return space.goTo(call, space.nextOf(form.next))
        })
      ),
    addPasskey: (call: Call, { form }: { readonly form: PasskeyForm }): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          yield* space.taken(call, member, ADD_FORM, form)
          const { answer = "", challenge = "" } = form
          const added = passkeys.add(call, member.person, { answer, challenge })
          const outcome = yield* ended(NO_PROBLEMS, ["passkey"], {}, added)
          if (outcome.ok) return space.goTo(call, SETTINGS_PATH, "passkey_added")
          const page = notAddedPage(space, outcome.problems["passkey"] ?? "")
          return space.page(call, member, { ...page, status: outcome.status })
        })
      )
  }
}
