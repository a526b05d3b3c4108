/** Kind `roadmap`, whose only id is `own`. Operators change it, and everybody can read it. */
import { Schema, Struct } from "effect"
import { Deleted } from "../agent/records.ts"
import { Nothing, op, operationsOf } from "../operation.ts"
import { RoadmapItem, roadmapFields } from "./records.ts"

export const ROADMAP_ID = "own"

const Given = Schema.Struct(roadmapFields)
export type RoadmapGiven = typeof Given.Type

/** Absent fields stay as they are. */
const Changed = Schema.Struct({
  id: Schema.Int,
  change: Schema.Struct(roadmapFields).mapFields((fields) => Struct.map(fields, Schema.optionalKey))
})
export type RoadmapChanged = typeof Changed.Type

export const roadmapOperations = operationsOf("roadmap", {
  /** The items by position, then by id. */
  "roadmap.list": op({ input: Nothing, output: Schema.Array(RoadmapItem), askedBy: ["edge"] }),
  "roadmap.add": op({ input: Given, output: RoadmapItem, askedBy: [] }),
  "roadmap.change": op({ input: Changed, output: RoadmapItem, askedBy: [] }),
  "roadmap.remove": op({ input: Schema.Struct({ id: Schema.Int }), output: Deleted, askedBy: [] })
})
