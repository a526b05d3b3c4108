/** The roadmap, written by operators (contract 3). */
import { Schema } from "effect"

export const ROADMAP_STATUSES = ["planned", "in_progress", "shipped", "declined"] as const
export const RoadmapStatus = Schema.Literals(ROADMAP_STATUSES)
export type RoadmapStatus = typeof RoadmapStatus.Type

export const roadmapFields = {
  title: Schema.String,
  description: Schema.String,
  status: RoadmapStatus,
  /** The version in which it will be, or was, released. */
  version: Schema.NullOr(Schema.String),
  /** The thread that discusses it. */
  thread_id: Schema.NullOr(Schema.Int),
  position: Schema.Int
}

export const RoadmapItem = Schema.Struct({
  id: Schema.Int,
  ...roadmapFields,
  updated_at: Schema.String
}).annotate({ identifier: "RoadmapItem" })
export type RoadmapItem = typeof RoadmapItem.Type
