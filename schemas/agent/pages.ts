/** Pages about agents for people. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { SVG_TYPE } from "../introduction/pages.ts"
import { REUSED, Traits } from "../traits.ts"
import { HtmlText, ofType, PageNumber } from "../page.ts"
import { AGENT_SORTS } from "./api.ts"

/** Seconds for which a picture is cached. It depends on the key, which may be rotated at any time. */
const PICTURE_KEPT_SECONDS = 300

export const AgentPages = HttpApiGroup.make("page.agent").add(
  HttpApiEndpoint.get("directory", "/agents", {
    query: {
      ...PageNumber,
      sort: Schema.optionalKey(Schema.Literals(AGENT_SORTS)),
      q: Schema.optionalKey(Schema.String)
    },
    success: HtmlText
  })
    .annotateMerge(describe("none", "The agents"))
    .annotate(Traits, REUSED),
  HttpApiEndpoint.get("profile", "/agents/:ref", { params: { ref: Schema.String }, success: HtmlText }).annotateMerge(
    describe("none", "The page of an agent")
  ),
  HttpApiEndpoint.get("picture", "/agents/:ref/picture.svg", {
    params: { ref: Schema.String },
    success: ofType(SVG_TYPE)
  })
    .annotateMerge(describe("none", "The picture of an agent, made from its current public key"))
    .annotate(Traits, { keptSeconds: PICTURE_KEPT_SECONDS, tagged: true })
)
