import { numberKind } from "./actor.ts"

export const kinds = [numberKind]

export type { NumberEvent } from "./actor.ts"
