/**
 * The table of endpoints, made from their declarations: the methods and bodies of a path, who may call it, and its
 * rate-limit buckets. Endpoints outside the interface's own path are pages (schemas/page.ts). Paths are matched exactly
 * as sent: no case folding, no doubled or trailing slashes, except that the discovery document answers with and without
 * its slash.
 */
import { Context } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import { API_PREFIX, HubApi } from "../../schemas/api.ts"
import type { BodyKind } from "../../schemas/body-ceiling.ts"
import type { Auth, TokenKind } from "../../schemas/envelope.ts"
import { HubPages } from "../../schemas/pages.ts"
import { Row, ADMITTED_GROUPS, Traits } from "../../schemas/traits.ts"

export interface Endpoint extends Required<Traits> {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly auth: Auth
  readonly summary: string
  /** The endpoint's row in the reference's table of endpoints. */
  readonly row: string
  /** The kind of vault token that the endpoint accepts; `null` if none. */
  readonly token: TokenKind | null
  /** The kind of body that the endpoint takes; `null` if it takes none. */
  readonly body: BodyKind | null
}

const BODY_KINDS: ReadonlySet<unknown> = new Set<BodyKind>(["plain", "text", "upload", "file", "notice"])
const isBodyKind = (value: unknown): value is BodyKind => BODY_KINDS.has(value)

const isAuth = (value: unknown): value is Auth =>
  value === "none" || value === "signed" || value === "optional" || value === "human"

const isToken = (value: unknown): value is TokenKind => value === "source" || value === "service" || value === "any"

const PAGE_GROUP = "page."

const endpointOf = (group: string, endpoint: HttpApiEndpoint.Top, annotations: Context.Context<never>): Endpoint => {
  const id = `${group}.${endpoint.identifier}`
  const described = Context.getOrUndefined(annotations, OpenApi.Override)
  const auth = described?.["x-hub-auth"]
  if (!isAuth(auth)) throw new Error(`The endpoint ${id} does not say who may call it`)
  const body = described?.["x-hub-body"]
  if (!isBodyKind(body)) throw new Error(`The endpoint ${id} does not say what its body may be`)
  if (group.startsWith(PAGE_GROUP) === isApiPath(endpoint.path)) throw new Error(`${id} lies on the wrong side`)
  if (group.startsWith(PAGE_GROUP) && auth !== "none") throw new Error(`The page ${id} must be for anybody`)
  const traits = Context.get(annotations, Traits)
  const draw: Endpoint["draw"] = auth === "signed" && endpoint.method !== "GET" ? ["write"] : []
  return {
    id,
    method: endpoint.method,
    path: endpoint.path,
    auth,
    summary: Context.getOrUndefined(annotations, OpenApi.Summary) ?? "",
    row: Context.get(annotations, Row),
    token: isToken(described?.["x-hub-token"]) ? described["x-hub-token"] : null,
    body: endpoint.method === "GET" ? null : body,
    drawsAnon: true,
    draw,
    needs: null,
    openToSuspended: false,
    admittedOnly: auth === "signed" && endpoint.method !== "GET" && ADMITTED_GROUPS.has(group),
    signer: "agent",
    settled: auth === "signed" ? "by handler" : "first",
    keptSeconds: 0,
    reused: false,
    tagged: false,
    ranged: false,
    comparesTags: false,
    guessable: auth === "human",
    held: false,
    endsSession: false,
    ...traits
  }
}

/** Ordered by declaration. */
export const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Endpoint> => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ group, endpoint, mergedAnnotations }) =>
      found.push(endpointOf(group.identifier, endpoint, mergedAnnotations))
  })
  return found
}

/** True if a path belongs to the interface. Every other path is a page or unknown. */
export const isApiPath = (path: string): boolean => path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
export const ENDPOINTS: ReadonlyArray<Endpoint> = endpointsOf(HubApi)
export const PAGES: ReadonlyArray<Endpoint> = endpointsOf(HubPages)

interface Entry {
  readonly segments: ReadonlyArray<string>
  readonly byMethod: ReadonlyMap<string, Endpoint>
  readonly allow: string
}

export type Match =
  | {
      readonly kind: "found"
      readonly endpoint: Endpoint
      readonly allow: string
      readonly params: Readonly<Record<string, string>>
    }
  | { readonly kind: "method"; readonly allow: string }
  | { readonly kind: "none" }

const NONE: Match = { kind: "none" }

const groupByPath = (endpoints: ReadonlyArray<Endpoint>): ReadonlyMap<string, Entry> => {
  const paths = new Map<string, Map<string, Endpoint>>()
  for (const endpoint of endpoints) {
    const methods = paths.get(endpoint.path) ?? new Map<string, Endpoint>()
    methods.set(endpoint.method, endpoint)
    paths.set(endpoint.path, methods)
  }
  return new Map(
    [...paths].map(([path, byMethod]) => {
      const methods = [...byMethod.keys()]
      if (byMethod.has("GET")) methods.push("HEAD")
      return [path, { segments: path.split("/"), byMethod, allow: [...methods, "OPTIONS"].join(", ") }]
    })
  )
}

const NO_PARAMETERS = {}

const fits = (pattern: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean =>
  pattern.length === segments.length &&
  pattern.every((part, index) => (part.startsWith(":") ? segments[index] !== "" : part === segments[index]))

const parametersOf = (
  pattern: ReadonlyArray<string>,
  segments: ReadonlyArray<string>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pattern.flatMap((part, index) => (part.startsWith(":") ? [[part.slice(1), segments[index] ?? ""]] : []))
  )

const matched = (entry: Entry, method: string, params: Readonly<Record<string, string>>): Match => {
  const endpoint = entry.byMethod.get(method === "HEAD" ? "GET" : method)
  return endpoint === undefined
    ? { kind: "method", allow: entry.allow }
    : { kind: "found", endpoint, allow: entry.allow, params }
}

export class EndpointTable {
  private readonly fixed = new Map<string, Entry>()
  private readonly open: Array<Entry> = []

  constructor(endpoints: ReadonlyArray<Endpoint>) {
    for (const [path, entry] of groupByPath(endpoints)) {
      if (path.includes(":")) this.open.push(entry)
      else this.fixed.set(path, entry)
    }
    const root = this.fixed.get(API_PREFIX)
    if (root !== undefined) this.fixed.set(`${API_PREFIX}/`, root)
  }

  match(method: string, path: string): Match {
    const fixed = this.fixed.get(path)
    if (fixed !== undefined) return matched(fixed, method, NO_PARAMETERS)
    const segments = path.split("/")
    const entry = this.open.find((one) => fits(one.segments, segments))
    return entry === undefined ? NONE : matched(entry, method, parametersOf(entry.segments, segments))
  }
}
