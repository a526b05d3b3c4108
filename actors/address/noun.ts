import { addressKind } from "./actor.ts"

export const kinds = [addressKind]
