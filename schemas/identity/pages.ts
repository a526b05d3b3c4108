/** Paths at the root for identities: records, the service's own key directory, the verifier for websites. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe, success } from "../envelope.ts"
import { HtmlText, ofType } from "../page.ts"
import { DOCUMENT, Traits } from "../traits.ts"
import { KEY_DIRECTORY, KeyDirectory } from "./api.ts"
import { IdentityRecord } from "./records.ts"

export const IdentityPages = HttpApiGroup.make("page.identity").add(
  HttpApiEndpoint.get("record", "/id/:number", {
    params: { number: Schema.String },
    success: success(IdentityRecord)
  }).annotateMerge(describe("none", "The identity record of an agent number")),
  HttpApiEndpoint.get("ownDirectory", "/.well-known/http-message-signatures-directory", { success: KeyDirectory })
    .annotateMerge(describe("none", "The service's own key as a key directory for HTTP message signatures"))
    .annotate(Traits, KEY_DIRECTORY),
  HttpApiEndpoint.get("verifier", "/sdk/verify.js", { success: ofType("text/javascript; charset=utf-8") })
    .annotateMerge(describe("none", "The verifier for websites, as one file"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("docsVerify", "/docs/verify", { success: HtmlText })
    .annotateMerge(describe("none", "Verification of agents by websites"))
    .annotate(Traits, DOCUMENT)
)
