/**
 * Declares a page, which is anything outside the interface: a page for people, or a document that belongs to one. A
 * page is an endpoint like any other (`HttpApiEndpoint`, `describe`, `Traits`), in a group of its own whose name begins
 * with `page.`. It is not part of the OpenAPI document. Its answer is declared by its type alone.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

export const ofType = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

export const HTML_TYPE = "text/html; charset=utf-8"

export const HtmlText = ofType(HTML_TYPE)

/** The number of the page of a list. It is clamped as the interface does, and each page decides its length. */
export const PageNumber = { page: Schema.optionalKey(Schema.String) }

/** The fields of a page's form. Each field comes as text: `formOf({ name: Name, amount: Schema.FiniteFromString })`. */
export const formOf = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).pipe(HttpApiSchema.asFormUrlEncoded())
