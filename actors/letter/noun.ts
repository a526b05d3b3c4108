import { letterKind } from "./actor.ts"

export const kinds = [letterKind]
