/**
 * How an endpoint of the interface is handled: one function for each, by the endpoint's own types. The pipeline has
 * matched the path before (endpoints.ts); here its parameters and query are decoded, once compiled, and the handler
 * gets both.
 *
 * This stands in the place of HttpApiBuilder, which would match the path a second time, and encode through schemas what
 * actors have already written as JSON (decision 0015).
 */
import { Effect, Result, Schema } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { notFound } from "../../schemas/errors.ts"
import type { Call } from "./call.ts"
import { tellIgnored } from "./ignored.ts"
import { issueRefusal } from "./json.ts"
import { type Refused, refuse } from "./refused.ts"
import type { Response } from "./respond.ts"

type Decoded<S> = S extends { readonly Type: infer T } ? T : Readonly<Record<never, never>>

export interface Given<Endpoint> {
  readonly params: Decoded<HttpApiEndpoint.Params<Endpoint>>
  readonly query: Decoded<HttpApiEndpoint.Query<Endpoint>>
}

export type Handler<Endpoint> = (call: Call, given: Given<Endpoint>) => Effect.Effect<Response, Refused>

export type Handlers<Group> = {
  readonly [Name in HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Group>>]: Handler<
    HttpApiEndpoint.WithIdentifier<HttpApiGroup.Endpoints<Group>, Name>
  >
}

/** A handler ready for the pipeline: `params` as the path spells them, `search` without its question mark. */
export type Route = (call: Call, params: Readonly<Record<string, string>>) => Effect.Effect<Response, Refused>

/** Routes of a group by the endpoints' full names. */
export const routesOf = <Group extends HttpApiGroup.Constraint>(
  group: Group,
  handlers: Handlers<Group>
): ReadonlyArray<readonly [string, Route]> => {
  const { identifier, endpoints } = group as unknown as HttpApiGroup.Top
  return Object.values(endpoints).map((endpoint) => {
    const handler = (handlers as unknown as Readonly<Record<string, Handler<HttpApiEndpoint.Top>>>)[endpoint.identifier]
    if (handler === undefined) throw new Error(`Nothing handles ${identifier}.${endpoint.identifier}`)
    return [`${identifier}.${endpoint.identifier}`, routeOf(endpoint, handler)]
  })
}

type AnyGiven = Given<HttpApiEndpoint.Top>

const NOTHING = {}

const routeOf = (endpoint: HttpApiEndpoint.Top, handler: Handler<HttpApiEndpoint.Top>): Route => {
  const decodeParams = decoderOf(endpoint.params)
  const decodeQuery = decoderOf(endpoint.query)
  return (call, spelled) => {
    let params: unknown = NOTHING
    if (decodeParams !== null) {
      const plain = unescaped(spelled)
      const decoded = plain === null ? null : decodeParams(plain)
      if (decoded === null || Result.isFailure(decoded)) return Effect.fail(refuse(notFound("resource")))
      params = decoded.success
    }
    let query: unknown = NOTHING
    if (decodeQuery !== null) {
      const decoded = decodeQuery(call.search === "" ? NOTHING : queryOf(call.search))
      if (Result.isFailure(decoded)) return Effect.fail(refuse(issueRefusal(decoded.failure.issue, "query")))
      query = decoded.success
    }
    return Effect.map(handler(call, { params, query } as AnyGiven), (answer) => tellIgnored(call.ignored, answer))
  }
}

const decoderOf = (schema: Schema.Top | undefined) =>
  schema === undefined ? null : Schema.decodeUnknownResult(schema as unknown as Schema.ConstraintDecoder<unknown>)

/** `null` where an escape is broken. */
const unescaped = (spelled: Readonly<Record<string, string>>): Readonly<Record<string, string>> | null => {
  try {
    return Object.fromEntries(Object.entries(spelled).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    return null
  }
}

/** Of a repeated parameter the last one counts. */
const queryOf = (search: string): Readonly<Record<string, string>> => Object.fromEntries(new URLSearchParams(search))
