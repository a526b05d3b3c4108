import { roadmapKind } from "./actor.ts"

export const kinds = [roadmapKind]
