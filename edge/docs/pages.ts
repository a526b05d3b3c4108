/** Documents at standard addresses, for programs that meet the service for the first time. */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import { IntroductionPages } from "../../schemas/introduction/pages.ts"
import { securityText } from "./introduction.ts"
import type { Call } from "../http/call.ts"
import { serveDocument } from "../http/documents.ts"
import { pagesOf } from "../http/handlers.ts"
import { refuse } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"
import type { DocumentName, Documents } from "./documents.ts"

export const introductionPages = ({ config, documents }: EdgeParts & { readonly documents: Documents }) => {
  const document = (name: DocumentName) => (call: Call) => Effect.sync(() => serveDocument(call, documents[name]))
  return pagesOf(IntroductionPages, {
    skill: document("skill"),
    llms: document("llms"),
    robots: document("robots"),
    apiCatalog: document("apiCatalog"),
    icon: document("icon"),
    iconByCustom: document("icon"),
    security: (call) => {
      const told = securityText(config, call.startedAt)
      return told === null ? Effect.fail(refuse(notFound("contact"))) : Effect.succeed(serveDocument(call, told))
    }
  })
}
