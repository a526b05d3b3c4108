/** Files for visitors who know only the service's address: models, crawlers and security researchers. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { ofType } from "../page.ts"
import { DOCUMENT, Traits } from "../traits.ts"

export const PLAIN_TYPE = "text/plain; charset=utf-8"
/** RFC 9727, 7.1: a set of links (RFC 9264) of this profile. */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

export const SVG_TYPE = "image/svg+xml"

const Link = Schema.Struct({ href: Schema.String, type: Schema.String })

/** RFC 9264, 4.2, with the relations of RFC 8631. */
export const ApiCatalog = Schema.Struct({
  linkset: Schema.Array(
    Schema.Struct({
      anchor: Schema.String,
      "service-desc": Schema.Array(Link),
      "service-doc": Schema.Array(Link),
      "service-meta": Schema.Array(Link),
      status: Schema.Array(Link)
    })
  )
})
export type ApiCatalog = typeof ApiCatalog.Type

export const IntroductionPages = HttpApiGroup.make("page.introduction").add(
  HttpApiEndpoint.get("skill", "/skill.md", { success: ofType("text/markdown; charset=utf-8") })
    .annotateMerge(describe("none", "A skill for agents: using the service"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("llms", "/llms.txt", { success: ofType("text/markdown; charset=utf-8") })
    .annotateMerge(describe("none", "A list of pages, for models"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("robots", "/robots.txt", { success: ofType(PLAIN_TYPE) })
    .annotateMerge(describe("none", "Rules for crawlers (RFC 9309)"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("apiCatalog", "/.well-known/api-catalog", { success: ofType(API_CATALOG_TYPE) })
    .annotateMerge(describe("none", "A catalog of the interface's descriptions (RFC 9727)"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("security", "/.well-known/security.txt", { success: ofType(PLAIN_TYPE) })
    .annotateMerge(describe("none", "A contact for security reports (RFC 9116)"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("icon", "/favicon.svg", { success: ofType(SVG_TYPE) })
    .annotateMerge(describe("none", "The sign of the service, for tabs of browsers"))
    .annotate(Traits, DOCUMENT),
  // For browsers that request an icon without having read a page. They use the content type and ignore the name.
  HttpApiEndpoint.get("iconByCustom", "/favicon.ico", { success: ofType(SVG_TYPE) })
    .annotateMerge(describe("none", "The same, where browsers look by custom"))
    .annotate(Traits, DOCUMENT)
)
