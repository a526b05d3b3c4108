/** Agents as people look at them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { REUSED, Traits } from "../traits.ts"
import { HtmlText, PageNumber } from "../page.ts"
import { AGENT_SORTS } from "./api.ts"

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
  )
)
