/**
 * The interface as types: for each path and method, the types of request and answer, taken from the contracts. The
 * types do not exist at run time. The published package contains the same types written out (ops/kit).
 */
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { HubApi } from "../../../schemas/api.ts"
import type { API_PREFIX } from "../../../schemas/version.ts"

type Groups = typeof HubApi extends HttpApi.HttpApi<infer _Id, infer Found> ? Found : never
type Endpoint = HttpApiGroup.Endpoints<Groups>

type Below<Path> = Path extends `${typeof API_PREFIX}${infer Rest}` ? Rest : never
type At<Path extends string> = Extract<Endpoint, { readonly path: `${typeof API_PREFIX}${Path}` }>

/** The fields of a schema, or nothing if the operation has none. All fields have the type in which they are sent. */
type Fields<Schema> = [Schema] extends [never]
  ? undefined
  : Schema extends { readonly Type: infer Type }
    ? Type
    : undefined

type Envelope = { readonly ok: true; readonly data: unknown }
type DataOf<Success> = Success extends Envelope ? Success["data"] : Success
type MetaOf<Success> = Success extends Envelope & { readonly meta: infer Meta } ? Meta : undefined

type Described<One> = One extends Endpoint
  ? {
      readonly params: Fields<HttpApiEndpoint.Params<One>>
      readonly query: Fields<HttpApiEndpoint.Query<One>>
      readonly body: Fields<HttpApiEndpoint.Payload<One>>
      readonly data: DataOf<HttpApiEndpoint.Success<One>["Type"]>
      readonly meta: MetaOf<HttpApiEndpoint.Success<One>["Type"]>
    }
  : never

/** `Operations["/me"]["PATCH"]["body"]`. Paths are relative to `/api/v1`, with `:name` for parameters. */
export type Operations = {
  readonly [Path in Below<Endpoint["path"]>]: {
    readonly [One in At<Path> as One["method"]]: Described<One>
  }
}
