import { handleKind } from "./actor.ts"

export const kinds = [handleKind]
