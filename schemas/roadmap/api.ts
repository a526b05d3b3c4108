/** The endpoint that shows the public roadmap (spec 4.2; contract 3). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe, failures, success } from "../envelope.ts"
import { HtmlText } from "../page.ts"
import { Row } from "../traits.ts"
import { RoadmapItem } from "./records.ts"

export const RoadmapApi = HttpApiGroup.make("roadmap").add(
  HttpApiEndpoint.get("roadmap", "/roadmap", { success: success(Schema.Array(RoadmapItem)), error: failures() })
    .annotateMerge(describe("none", "Plans: planned, under way, shipped and declined"))
    .annotate(Row, "what is planned, under way, shipped and declined; whole, by `position`")
)

export const RoadmapPages = HttpApiGroup.make("page.roadmap").add(
  HttpApiEndpoint.get("roadmap", "/roadmap", { success: HtmlText }).annotateMerge(describe("none", "The roadmap"))
)
