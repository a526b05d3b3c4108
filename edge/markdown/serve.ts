/**
 * Serves markdown to clients that prefer it. All routes are wrapped here, so handlers need no code for it.
 *
 * Invariants
 *  - The route answers as usual, and an answer 200 is converted. The markdown of a page is that of the corresponding
 *    endpoint.
 *  - Refusals are not converted. Every answer of such a route says that it varies by `Accept`.
 *  - The size of a conversion is bounded: for a page of replies by the query (REPLIES_PAGE_CHARS_MAX), for other lists by
 *    their excerpts, for a record by the longest text.
 */
import { Effect } from "effect"
import { prefersMarkdown } from "../http/accept.ts"
import type { Call } from "../http/call.ts"
import type { Route } from "../http/handlers.ts"
import type { Refused } from "../http/refused.ts"
import { plain, type Response } from "../http/respond.ts"
import type { Form, Forms, PageForm, PageForms, Params } from "./form.ts"
import { MARKDOWN_TYPE } from "../../schemas/markdown.ts"

const converted = (call: Call, answer: Response, form: Form, baseUrl: string): Effect.Effect<Response, Refused> => {
  const { status, body } = answer
  if (status !== 200 || body === null) return Effect.succeed(answer)
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return Effect.succeed(answer)
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  return Effect.sync(() => plain(form(bytes, { baseUrl, path: call.path }), MARKDOWN_TYPE))
}

/** Without a form, the route's answer is markdown already. */
const asMarkdown = (route: Route, form: Form | undefined, baseUrl: string): Route =>
  form === undefined
    ? route
    : (call, params) => Effect.flatMap(route(call, params), (answer) => converted(call, answer, form, baseUrl))

const chosen =
  (other: "application/json" | "text/html", usual: Route, markdown: Route): Route =>
  (call, params) => {
    call.headers["vary"] = "Accept"
    return prefersMarkdown(call, other) ? markdown(call, params) : usual(call, params)
  }

const queryOf = (own: string, more: Params): string => {
  const added = new URLSearchParams(more).toString()
  return own === "" || added === "" ? own + added : `${own}&${added}`
}

const NO_QUERY: Params = {}

/** A page, or the answer of `markdown` to the page's path and query. */
const pageIn = (
  page: Route,
  { params: mapped = (params) => params, query = () => NO_QUERY }: PageForm,
  markdown: Route
): Route =>
  chosen("text/html", page, (call, params) => {
    call.search = queryOf(call.search, query(params))
    return markdown(call, mapped(params))
  })

interface WrittenForms {
  readonly forms: Forms
  readonly pageForms: PageForms
}

/** Returns all routes. Those with a form choose by `Accept`. */
export const withMarkdown = (
  routes: ReadonlyMap<string, Route>,
  { forms, pageForms }: WrittenForms,
  baseUrl: string
): ReadonlyMap<string, Route> =>
  new Map(
    [...routes].map(([id, route]): [string, Route] => {
      const page = pageForms[id]
      const api = page === undefined ? undefined : routes.get(page.of)
      if (page !== undefined && api !== undefined)
        return [id, pageIn(route, page, asMarkdown(api, forms[page.of], baseUrl))]
      const form = forms[id]
      return [id, form === undefined ? route : chosen("application/json", route, asMarkdown(route, form, baseUrl))]
    })
  )
