/**
 * What identities have outside the interface's own path: records, the service's key directory, the verifier's source.
 */
import { Effect } from "effect"
import type { Bus } from "../bus/bus.ts"
import type { EdgeConfig } from "../config.ts"
import type { Documents } from "../docs/documents.ts"
import { notFound } from "../../schemas/errors.ts"
import { KEY_DIRECTORY_TYPE } from "../../schemas/identity/directory.ts"
import { AGENT_NUMBER_PATTERN } from "../../schemas/signing/identity.ts"
import type { Call } from "../http/call.ts"
import { serveDocument } from "../http/documents.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataBytes, empty, plain, type Response } from "../http/respond.ts"
import type { Identities } from "./identities.ts"
import { ownHost } from "./visitor.ts"

export type RootPage = (call: Call) => Effect.Effect<Response, Refused>

const OWN_DIRECTORY_MAX_AGE_SECONDS = 60

/** The agent behind a number in a path. */
export const agentNumbered = (identities: Identities, call: Call, number: string): Effect.Effect<string, Refused> =>
  AGENT_NUMBER_PATTERN.test(number)
    ? Effect.flatMap(identities.numbers.agentOf(call, number), (agent) =>
        agent === null ? Effect.fail(refuse(notFound("identity"))) : Effect.succeed(agent)
      )
    : Effect.fail(refuse(notFound("identity")))

/** The record as JSON; a browser is sent to the profile page, where there is one (spec 2.4). */
export const identityRecord = (
  bus: Bus,
  identities: Identities,
  call: Call,
  number: string
): Effect.Effect<Response, Refused> =>
  Effect.flatMap(agentNumbered(identities, call, number), (actor) => {
    call.headers["vary"] = "Accept"
    const record = { actor, op: "identity.record", input: null } as const
    if (!call.wantsHtml) return Effect.map(bus.ask(call, record), (bytes) => dataBytes(bytes))
    return Effect.map(bus.ask(call, record), (bytes) => {
      const { profile_url } = JSON.parse(Buffer.from(bytes).toString("utf8")) as { readonly profile_url: string | null }
      if (profile_url === null) return dataBytes(bytes)
      call.headers["location"] = profile_url
      return empty(302)
    })
  })

const ownDirectory =
  ({ ownDirectory: directory }: Identities, hosts: ReadonlyArray<string>): RootPage =>
  (call) =>
    Effect.map(directory.headersFor(call, ownHost(call, hosts)), (headers) => {
      Object.assign(call.headers, headers, { "cache-control": `public, max-age=${OWN_DIRECTORY_MAX_AGE_SECONDS}` })
      return plain(directory.text, KEY_DIRECTORY_TYPE)
    })

/** `null` for a path that is none of them. */
export const identityPages = (
  bus: Bus,
  identities: Identities,
  documents: Documents,
  { hub }: EdgeConfig
): ((path: string) => RootPage | null) => {
  const fixed = new Map<string, RootPage>([
    ["/.well-known/http-message-signatures-directory", ownDirectory(identities, hub.hosts)],
    ["/sdk/verify.js", (call) => Effect.sync(() => serveDocument(call, documents.verifier))],
    ["/docs/verify", (call) => Effect.sync(() => serveDocument(call, documents.verifierPage))]
  ])
  return (path) => {
    const number = /^\/id\/([^/]+)$/.exec(path)?.[1]
    return number === undefined ? (fixed.get(path) ?? null) : (call) => identityRecord(bus, identities, call, number)
  }
}
