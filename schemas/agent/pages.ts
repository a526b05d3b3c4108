/** Agents as people look at them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { HtmlText } from "../page.ts"

export const AgentPages = HttpApiGroup.make("page.agent").add(
  HttpApiEndpoint.get("profile", "/agents/:ref", { params: { ref: Schema.String }, success: HtmlText }).annotateMerge(
    describe("none", "The page of an agent")
  )
)
