/**
 * The handlers of endpoints: one function for each, with the endpoint's own types. The pipeline has matched the path
 * before (endpoints.ts). This module decodes its parameters and query with compiled decoders, and passes both to the
 * handler. The handler of a page also gets the form. Handlers of the interface read their bodies themselves (json.ts).
 * Escapes in a path are decoded for the interface only, because a page has exactly one address.
 *
 * It replaces HttpApiBuilder, which would match the path a second time, and would encode through schemas what actors
 * have already written as JSON (decision 0015).
 */
import { Effect, Result, Schema } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { notFound } from "../../schemas/errors.ts"
import type { Call } from "./call.ts"
import { type Declared, type FormDecoder, formDecoder } from "./form.ts"
import { ignoredParameters, withIgnored } from "./ignored.ts"
import { issueRefusal } from "./json.ts"
import { type Refused, refuse } from "./refused.ts"
import type { Response } from "./respond.ts"

type Decoded<S> = S extends { readonly Type: infer T } ? T : Readonly<Record<never, never>>

interface GivenParts<Endpoint> {
  readonly params: Decoded<HttpApiEndpoint.Params<Endpoint>>
  readonly query: Decoded<HttpApiEndpoint.Query<Endpoint>>
}

interface PageGiven<Endpoint> extends GivenParts<Endpoint> {
  readonly form: Decoded<HttpApiEndpoint.Payload<Endpoint>>
}

type Handler<Given> = (call: Call, given: Given) => Effect.Effect<Response, Refused>

type NamedEndpoint<Group, Name extends string> = HttpApiEndpoint.WithIdentifier<HttpApiGroup.Endpoints<Group>, Name>

export type Handlers<Group> = {
  readonly [Name in HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Group>>]: Handler<
    GivenParts<NamedEndpoint<Group, Name>>
  >
}

export type PageHandlers<Group> = {
  readonly [Name in HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Group>>]: Handler<
    PageGiven<NamedEndpoint<Group, Name>>
  >
}

interface Grouped {
  readonly identifier: string
  readonly endpoints: Readonly<Record<string, Declared>>
}

/** A handler as the pipeline calls it. The path's parameters are not decoded yet. */
export type Route = (call: Call, params: Params) => Effect.Effect<Response, Refused>

/** Keyed by the endpoints' full names. */
export type Routes = ReadonlyArray<readonly [string, Route]>

export const routesOf = <Group extends Grouped>(group: Group, handlers: Handlers<Group>): Routes =>
  handled(group, handlers, { paramsOf: unescaped, formOf: () => null })

export const pagesOf = <Group extends Grouped>(group: Group, handlers: PageHandlers<Group>): Routes =>
  handled(group, handlers, { paramsOf: (spelled) => spelled, formOf: formDecoder })

type Params = Readonly<Record<string, string>>

/** The differences between the interface and pages. */
interface Reading {
  /** `null` if no resource can have this path. */
  readonly paramsOf: (spelled: Params) => Params | null
  readonly formOf: (endpoint: Declared) => FormDecoder | null
}

const handled = ({ identifier, endpoints }: Grouped, handlers: object, reading: Reading): Routes => {
  const byName = handlers as Readonly<Record<string, Handler<AnyGiven>>>
  return Object.values(endpoints).map((endpoint) => {
    const handler = byName[endpoint.identifier]
    if (handler === undefined) throw new Error(`Nothing handles ${identifier}.${endpoint.identifier}`)
    return [`${identifier}.${endpoint.identifier}`, routeOf(endpoint, handler, reading)]
  })
}

interface AnyGiven {
  readonly params: unknown
  readonly query: unknown
  readonly form: unknown
}

const NOTHING = {}
const NO_NAMES: ReadonlyArray<string> = []

const routeOf = (endpoint: Declared, handler: Handler<AnyGiven>, reading: Reading): Route => {
  const decodeParams = decoderOf(endpoint.params)
  const decodeQuery = decoderOf(endpoint.query)
  const decodeForm = reading.formOf(endpoint)
  return (call, spelled) => {
    let params: unknown = NOTHING
    if (decodeParams !== null) {
      const plain = reading.paramsOf(spelled)
      const decoded = plain === null ? null : decodeParams(plain)
      if (decoded === null || Result.isFailure(decoded)) return Effect.fail(refuse(notFound("resource")))
      params = decoded.success
    }
    let query: unknown = NOTHING
    const given = call.search === "" ? NOTHING : queryOf(call.search)
    if (decodeQuery !== null) {
      const decoded = decodeQuery(given)
      if (Result.isFailure(decoded)) return Effect.fail(refuse(issueRefusal(decoded.failure.issue, given, "query")))
      query = decoded.success
    }
    if (decodeForm !== null) return Effect.flatMap(decodeForm(call), (form) => handler(call, { params, query, form }))
    const strays = given === NOTHING ? NO_NAMES : ignoredParameters(given, query)
    return Effect.map(handler(call, { params, query, form: NOTHING }), (answer) =>
      withIgnored([...strays, ...call.ignored], answer)
    )
  }
}

const decoderOf = (schema: Schema.Constraint | undefined) =>
  schema === undefined ? null : Schema.decodeUnknownResult(Schema.make<Schema.ConstraintDecoder<unknown>>(schema.ast))

/** `null` if an escape is broken. */
const unescaped = (spelled: Params): Params | null => {
  try {
    return Object.fromEntries(Object.entries(spelled).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    return null
  }
}

/** If a parameter is repeated, the last one counts. */
const queryOf = (search: string): Readonly<Record<string, string>> => Object.fromEntries(new URLSearchParams(search))
