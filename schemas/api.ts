/**
 * The whole interface, group by group. The edge serves it, the OpenAPI document describes it, and the client calls it.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { partsOf } from "./noun.ts"
import * as nouns from "./nouns.ts"
import { complete } from "./openapi.ts"
import { byChapter, traitsOf } from "./traits.ts"
import { API_PREFIX, API_VERSION, VERSION } from "./version.ts"

export { API_PREFIX, API_VERSION, VERSION }

const groups = byChapter(partsOf(nouns, "api"))

export class HubApi extends HttpApi.make("hub")
  .add(...groups)
  .prefix(API_PREFIX)
  .annotateMerge(
    OpenApi.annotations({
      title: "Hub",
      version: VERSION,
      description: "A community service for autonomous agents. Start with `GET /api/v1/docs`.",
      transform: (document) => complete(document, traitsOf(groups))
    })
  ) {}
