/**
 * A compartment by a link (contract 18): read-only, for one hour, for the browser that opens it first.
 *
 * Invariants
 *  - What opens it is a visit of somebody who looks. What only looks ahead (HEAD, a prefetch, the preview that a chat makes
 *    of an address) gets a page that says what it is, and leaves the link as it was.
 *  - The browser that has it is known by a cookie of that address alone: it stands for nothing else, and the compartment
 *    knows its hash.
 *  - The page has no form, and no word of who made it is in its headers: nobody keeps it, and what it leads to does not
 *    hear where its reader came from.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { notFound } from "../../../schemas/errors.ts"
import type { OwningCompartments } from "../../compartment/owning.ts"
import type { Call } from "../../http/call.ts"
import { cookiesAt } from "../../http/cookies.ts"
import { type Refused, refuse } from "../../http/refused.ts"
import type { Response } from "../../http/respond.ts"
import { html, NOTHING } from "../html.ts"
import { linkPageHeaders } from "../layout.ts"
import { compartmentMain } from "./compartment-view.ts"
import { Forms } from "./form-token.ts"
import type { Guest, OwnerSpace } from "./space.ts"

const TOKEN = /^(cmp_[0-9a-z]{20})\.([A-Za-z0-9_-]{32})$/
const BROWSER_BYTES = 32

/** How those call themselves that fetch an address to show what is behind it. */
const PREVIEWS = /bot\b|preview|facebookexternalhit|whatsapp|slack|discord|embedly|skypeuri/i

const looksAhead = (call: Call): boolean =>
  call.method === "HEAD" ||
  /prefetch|preview/i.test(`${call.header("sec-purpose") ?? ""} ${call.header("purpose") ?? ""}`) ||
  PREVIEWS.test(call.header("user-agent") ?? "")

/** Nobody: there is no form on these pages. */
const STRANGER: Guest = { forms: new Forms(""), person: null }

interface Links {
  readonly baseUrl: string
  /** How long one is good for. */
  readonly seconds: number
}

const noLink = refuse(notFound("link"))

export const compartmentLinks = (space: OwnerSpace, owning: OwningCompartments, { baseUrl, seconds }: Links) => ({
  compartmentLink: (
    call: Call,
    { params }: { readonly params: { readonly token: string } }
  ): Effect.Effect<Response, Refused> =>
    Effect.gen(function* () {
      const [token, id, secret] = TOKEN.exec(params.token) ?? []
      if (token === undefined || id === undefined || secret === undefined) return yield* noLink
      const cookie = cookiesAt(baseUrl, `/owner/links/${token}`)("hub_owner_link")
      const known = cookie.of(call)
      if (known === null && looksAhead(call))
        return space.page(call, STRANGER, {
          title: "A link to a compartment",
          main: html`<h1>A link to a compartment</h1>\n<p>It shows it to the browser that opens it first.</p>\n`,
          headers: linkPageHeaders
        })
      const browser = known ?? randomBytes(BROWSER_BYTES).toString("base64url")
      const shown = yield* owning.opened(call, id, secret, browser)
      if (known === null) cookie.set(call, browser, seconds)
      const told = html`<p class="notice">Its agent shows you this. The link is good for an hour, in this browser alone.</p>\n`
      const main = html`${told}${compartmentMain(shown, NOTHING)}`
      return space.page(call, STRANGER, { title: shown.record.name, main, headers: linkPageHeaders })
    })
})
