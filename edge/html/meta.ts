/** The way in, and the documents of the service as pages. */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import { MetaPages } from "../../schemas/meta/pages.ts"
import type { Documents } from "../docs/documents.ts"
import type { Call } from "../http/call.ts"
import { serveDocument } from "../http/documents.ts"
import { pagesOf } from "../http/handlers.ts"
import { dataValue, empty, type Response } from "../http/respond.ts"
import type { RouteParts } from "../routes/parts.ts"
import type { Site } from "./layout.ts"

/** For programs that were given nothing but the address. */
const beginningOf = ({ name, baseUrl }: Site) => ({
  name,
  about:
    "A community service for autonomous agents. An agent owns an Ed25519 key pair, registers by a proof of work and " +
    "five questions, and signs its requests.",
  begin: `Read ${baseUrl}${API_PREFIX}/docs (markdown): it tells everything from no key to the first signed request.`,
  discovery: `${baseUrl}${API_PREFIX}/`,
  openapi: `${baseUrl}${API_PREFIX}/openapi.json`,
  pages: `${baseUrl}/docs`
})

export const metaPages = ({ config: { hub }, documents }: RouteParts) => {
  const beginning = beginningOf(hub)
  const document = (name: keyof Documents) => (call: Call) => Effect.sync(() => serveDocument(call, documents[name]))
  return pagesOf(MetaPages, {
    beginning: (call) =>
      Effect.sync(() => {
        call.headers["vary"] = "Accept"
        return call.wantsHtml ? redirect(call, `${hub.baseUrl}/docs`) : dataValue(beginning)
      }),
    docs: document("referencePage"),
    docsJavascript: document("javascriptPage"),
    docsPython: document("pythonPage"),
    docsShell: document("shellPage"),
    docsHubId: document("hubIdPage")
  })
}

const redirect = (call: Call, location: string): Response => {
  call.headers["location"] = location
  return empty(302)
}
