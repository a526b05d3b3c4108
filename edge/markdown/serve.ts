/**
 * Answers in markdown, for whoever prefers it: laid around the routes in one place, so that no handler knows of it.
 *
 * Invariants
 *  - A route of the interface is asked as ever; of what it answers well the markdown is made. A page's markdown is that
 *    of the endpoint whose record it shows.
 *  - Refusals stay what they are. Every answer of such a route says that it depends on `Accept`.
 *  - What is read and written anew here has a bound: a page of replies by the query itself (REPLIES_PAGE_CHARS_MAX), all
 *    other lists by excerpts, a record by the longest text.
 */
import { Effect } from "effect"
import { prefersMarkdown } from "../http/accept.ts"
import type { Call } from "../http/call.ts"
import type { Route } from "../http/handlers.ts"
import type { Refused } from "../http/refused.ts"
import { plain, type Response } from "../http/respond.ts"
import type { Form } from "./form.ts"
import { MARKDOWN_TYPE } from "../../schemas/markdown.ts"
import { FORMS, PAGE_FORMS, type PageForm } from "./forms.ts"

const converted = (call: Call, answer: Response, form: Form, baseUrl: string): Effect.Effect<Response, Refused> => {
  const { status, body } = answer
  if (status !== 200 || body === null) return Effect.succeed(answer)
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return Effect.succeed(answer)
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  return Effect.sync(() => plain(form(bytes, { baseUrl, path: call.path }), MARKDOWN_TYPE))
}

/** As markdown, of an endpoint that has a form; of one whose answer is markdown anyway, as it comes. */
const asMarkdown = (id: string, route: Route, baseUrl: string): Route => {
  const form = FORMS[id]
  if (form === undefined) return route
  return (call, params) => Effect.flatMap(route(call, params), (answer) => converted(call, answer, form, baseUrl))
}

const chosen =
  (other: "application/json" | "text/html", usual: Route, markdown: Route): Route =>
  (call, params) => {
    call.headers["vary"] = "Accept"
    return prefersMarkdown(call, other) ? markdown(call, params) : usual(call, params)
  }

type Params = Readonly<Record<string, string>>

const queryOf = (own: string, more: Params): string => {
  const added = new URLSearchParams(more).toString()
  return own === "" || added === "" ? own + added : `${own}&${added}`
}

const NO_QUERY: Params = {}

/** A page, and its markdown: what `api` answers to the page's path and query. */
export const pageIn = (page: Route, form: PageForm, api: Route, baseUrl: string): Route => {
  const { of, params: mapped = (params) => params, query = () => NO_QUERY } = form
  const markdown = asMarkdown(of, api, baseUrl)
  return chosen("text/html", page, (call, params) => {
    call.search = queryOf(call.search, query(params))
    return markdown(call, mapped(params))
  })
}

/** The same routes, those that have a markdown form with it. */
export const withMarkdown = (routes: ReadonlyMap<string, Route>, baseUrl: string): ReadonlyMap<string, Route> =>
  new Map(
    [...routes].map(([id, route]): [string, Route] => {
      const page = PAGE_FORMS[id]
      const api = page === undefined ? undefined : routes.get(page.of)
      if (page !== undefined && api !== undefined) return [id, pageIn(route, page, api, baseUrl)]
      return [id, Object.hasOwn(FORMS, id) ? chosen("application/json", route, asMarkdown(id, route, baseUrl)) : route]
    })
  )
