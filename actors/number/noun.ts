import { numberKind } from "./actor.ts"

export const kinds = [numberKind]
