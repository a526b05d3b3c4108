/** Pages of identities outside the interface: records, the service's key directory, the verifier's source. */
import { Effect } from "effect"
import { type Bus, parse } from "../bus/bus.ts"
import type { Operations } from "../../schemas/bus/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { KEY_DIRECTORY_TYPE } from "../../schemas/identity/directory.ts"
import { IdentityPages } from "../../schemas/identity/pages.ts"
import { AGENT_NUMBER_PATTERN } from "../../schemas/signing/identity.ts"
import type { Call } from "../http/call.ts"
import { serveDocument } from "../http/documents.ts"
import { pagesOf } from "../http/handlers.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataBytes, empty, plain, type Response } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"
import type { Documents } from "../docs/index.ts"
import type { Identities } from "./identities.ts"
import { ownHost } from "./visitor.ts"

type Parts = EdgeParts & { readonly documents: Documents; readonly identities: Identities }

export const agentNumbered = (identities: Identities, call: Call, number: string): Effect.Effect<string, Refused> =>
  AGENT_NUMBER_PATTERN.test(number)
    ? Effect.flatMap(identities.numbers.agentOf(call, number), (agent) =>
        agent === null ? Effect.fail(refuse(notFound("identity"))) : Effect.succeed(agent)
      )
    : Effect.fail(refuse(notFound("identity")))

/** The record as JSON. Browsers are redirected to the profile page, if there is one (spec 2.4). */
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
      const { profile_url } = parse<Operations["identity.record"]["output"]>(bytes)
      if (profile_url === null) return dataBytes(bytes)
      call.headers["location"] = profile_url
      return empty(302)
    })
  })

export const identityPages = ({ bus, identities, documents, config: { hub } }: Parts) => {
  const { ownDirectory } = identities
  return pagesOf(IdentityPages, {
    record: (call, { params }) => identityRecord(bus, identities, call, params.number),
    ownDirectory: (call) =>
      Effect.map(ownDirectory.headersFor(call, ownHost(call, hub.hosts)), (headers) => {
        Object.assign(call.headers, headers)
        return plain(ownDirectory.text, KEY_DIRECTORY_TYPE)
      }),
    verifier: (call) => Effect.sync(() => serveDocument(call, documents.verifier)),
    docsVerify: (call) => Effect.sync(() => serveDocument(call, documents.verifyPage))
  })
}
