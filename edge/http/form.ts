/**
 * Forms of pages: checks which site sent a form, and decodes its fields.
 *
 * Invariants
 *  - A form that a browser sends from another site is refused before its body is read. The browser's own headers
 *    decide: `Sec-Fetch-Site` must be `same-origin`, or `none` if no page sent it. Another host of our domain is
 *    another site. If that header is missing, `Origin` must be the address of one of the service's hosts, and `null` is
 *    refused. A client that sends neither header is not a current browser, and has no person's cookies.
 *  - This check adds to a session cookie's `SameSite=Lax` and does not replace it. `SameSite=Lax` does not stop a
 *    neighbor host (`same-site`), and some browsers send such a cookie with any form in its first two minutes.
 *  - A page with a form must let browsers send its origin, because `referrer-policy: no-referrer` makes `Origin` null
 *    (`formPageHeaders` of edge/kit/layout.ts).
 *  - Fields are text in UTF-8. If a field is repeated, the last one counts, as in a query. Undeclared fields are left
 *    out.
 */
import { Effect, Schema } from "effect"
import { invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import { normaliseHost } from "../../schemas/signing/request.ts"
import type { Call } from "./call.ts"
import { strictUtf8, valueDecoder } from "./json.ts"
import { type Refused, refuse } from "./refused.ts"

const FORM_TYPE = "application/x-www-form-urlencoded"

const crossSite: Refusal = refusal("cross_site", "This form was sent by another site. Send it from the page it is on.")

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

/** The refusal of a request from another site that may change something; `null` if it is allowed. */
export const crossSiteOf = (site: { readonly baseUrl: string; readonly hosts: ReadonlyArray<string> }) => {
  const { protocol } = new URL(site.baseUrl)
  return (call: Call): Refusal | null => {
    if (SAFE.has(call.method)) return null
    const from = call.header("sec-fetch-site")
    if (from !== undefined) return from === "same-origin" || from === "none" ? null : crossSite
    const origin = call.header("origin")
    return origin === undefined || isOurs(origin, protocol, site.hosts) ? null : crossSite
  }
}

const isOurs = (origin: string, protocol: string, hosts: ReadonlyArray<string>): boolean =>
  origin.startsWith(`${protocol}//`) && hosts.includes(normaliseHost(origin.slice(protocol.length + 2)) ?? "")

export type FormDecoder = (call: Call) => Effect.Effect<unknown, Refused>

export interface Declared {
  readonly identifier: string
  readonly params: Schema.Constraint | undefined
  readonly query: Schema.Constraint | undefined
  readonly payload: ReadonlyMap<string, { readonly schemas: ReadonlyArray<Schema.Constraint> }>
}

/** The decoder of an endpoint's declared form; `null` if it has none. */
export const formDecoder = ({ identifier, payload }: Declared): FormDecoder | null => {
  if (payload.size === 0) return null
  const [declared, more] = payload.get(FORM_TYPE)?.schemas ?? []
  if (declared === undefined || more !== undefined || payload.size > 1)
    throw new Error(`The page ${identifier} must take one form of fields`)
  const decode = valueDecoder(Schema.make<Schema.ConstraintDecoder<unknown>>(declared.ast))
  return (call) => {
    const fields = fieldsOf(call)
    return fields === null ? Effect.fail(refuse(NO_FORM)) : decode(call, fields)
  }
}

const NO_FORM = invalidField("body", `The body must be a form, ${FORM_TYPE} in UTF-8.`, { rule: "form" })

/** `null` if the body is not a form. Without a body, all fields are missing. */
export const fieldsOf = (call: Call): Readonly<Record<string, string>> | null => {
  const [type = ""] = (call.header("content-type") ?? "").split(";", 1)
  if (call.body.length > 0 && type.trim().toLowerCase() !== FORM_TYPE) return null
  try {
    return Object.fromEntries(new URLSearchParams(strictUtf8.decode(call.body)))
  } catch {
    return null
  }
}
