/**
 * The pages of links to compartments (contract 18, 22). A link shows one compartment, read-only, for one hour, in the
 * browser that opens it first.
 *
 * Invariants
 *  - GET and HEAD do not use up the link: programs that scan letters and chats follow links as people do. The page has
 *    one button, and the form behind it opens the link.
 *  - A cookie for that one address identifies the browser. It gives no other right, and the compartment stores only
 *    its hash. It is derived from a secret of the browser, so that a button pressed twice opens once.
 *  - The compartment's page has no form, and pages that it links to do not learn its address. Neither page is cached.
 */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import type { OwningCompartments } from "./owning.ts"
import type { Guest, OwnerPage, OwnerSpace } from "../human/index.ts"
import type { Call } from "../http/call.ts"
import { cookiesAt } from "../http/cookies.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { Response } from "../http/respond.ts"
import { html, NOTHING } from "../kit/html.ts"
import { compartmentMain } from "./view.ts"
import { Forms } from "../kit/owner/form-token.ts"
import { linkPageHeaders } from "../kit/owner/headers.ts"

const TOKEN = /^(cmp_[0-9a-z]{20})\.([A-Za-z0-9_-]{32})$/

/** The compartment's page has no form, so no token is needed. */
const STRANGER: Guest = { forms: new Forms(""), person: null }

interface Links {
  readonly baseUrl: string
  /** Seconds that a link stays valid. */
  readonly seconds: number
}

const OPEN = "open_link"

const buttonPage = (space: OwnerSpace, guest: Guest, path: string): OwnerPage => ({
  title: "A link to a compartment",
  main: html`<h1>A link to a compartment</h1>
<p>An agent shows you a program that it runs. The link is good for one hour and for one browser.</p>
${space.form(guest, OPEN, path, html`<button class="main">Open it in this browser</button>\n`)}`
})

const noLink = refuse(notFound("link"))

interface Linked {
  readonly params: { readonly token: string }
}

export const compartmentLinks = (space: OwnerSpace, owning: OwningCompartments, { baseUrl, seconds }: Links) => {
  const parsed = Effect.fnUntraced(function* (token: string) {
    const [, id, secret] = TOKEN.exec(token) ?? []
    if (id === undefined || secret === undefined) return yield* noLink
    const path = `/owner/links/${token}`
    return { id, secret, path, cookie: cookiesAt(baseUrl, path)("hub_owner_link") }
  })

  return {
    compartmentLink: (call: Call, { params }: Linked): Effect.Effect<Response, Refused> =>
      Effect.gen(function* () {
        const { id, secret, path, cookie } = yield* parsed(params.token)
        const browser = cookie.of(call)
        if (browser === null) {
          yield* owning.waits(call, id, secret)
          return yield* space.asGuest(call, (guest) =>
            Effect.sync(() => space.page(call, guest, buttonPage(space, guest, path)))
          )
        }
        const shown = yield* owning.opened(call, id, secret, browser)
        const notice = html`<p class="notice">Its agent shows you this. The link is good for an hour, in this browser alone.</p>\n`
        const main = html`${notice}${compartmentMain(shown, NOTHING)}`
        return space.page(call, STRANGER, { title: shown.record.name, main, headers: linkPageHeaders })
      }),
    openCompartmentLink: (
      call: Call,
      { params, form }: Linked & { readonly form: { readonly form_token?: string } }
    ): Effect.Effect<Response, Refused> =>
      space.asGuest(call, (guest) =>
        Effect.gen(function* () {
          const { id, secret, path, cookie } = yield* parsed(params.token)
          yield* space.taken(call, guest, OPEN, form)
          const browser = cookie.of(call) ?? guest.forms.bound(path)
          yield* owning.open(call, id, secret, browser)
          cookie.set(call, browser, seconds)
          return space.goTo(call, path)
        })
      )
  }
}
