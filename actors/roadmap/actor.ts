/** The roadmap. It is one actor with the id `own`. It is small and read as a whole, so it needs no read model. */
import { roadmapOperations } from "../../schemas/roadmap/operations.ts"
import { read, write } from "../engine/definition.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import {
  decideAdd,
  decideChange,
  decideRemove,
  EMPTY,
  evolveRoadmap,
  itemOf,
  listed,
  RoadmapEvent,
  RoadmapState
} from "./decide.ts"

const fold: Fold<ActorOf<RoadmapState, RoadmapEvent>> = {
  kind: "roadmap",
  state: RoadmapState,
  initial: EMPTY,
  events: RoadmapEvent,
  evolve: evolveRoadmap
}

export const roadmapKind = kind(fold, roadmapOperations, () => ({
  operations: {
    "roadmap.list": read((state) => ({ data: listed(state) })),
    "roadmap.add": write({ decide: decideAdd, answer: itemOf }),
    "roadmap.change": write({ decide: decideChange, answer: itemOf }),
    "roadmap.remove": write({ decide: decideRemove, answer: (_state, id) => ({ deleted: true, id: String(id) }) })
  }
}))
