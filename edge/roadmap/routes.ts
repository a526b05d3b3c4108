/** The roadmap (spec 4.2). */
import { Effect } from "effect"
import { RoadmapApi } from "../../schemas/roadmap/api.ts"
import { ROADMAP_ID } from "../../schemas/roadmap/operations.ts"
import { routesOf } from "../http/handlers.ts"
import { dataBytes } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"

export const roadmapRoutes = ({ bus }: EdgeParts) =>
  routesOf(RoadmapApi, {
    roadmap: (call) =>
      Effect.map(bus.ask(call, { actor: ROADMAP_ID, op: "roadmap.list", input: null }), (items) => dataBytes(items))
  })
