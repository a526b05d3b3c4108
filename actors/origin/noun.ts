import { originKind } from "./actor.ts"

export const kinds = [originKind]
