import { handleKind } from "./actor.ts"

export const kinds = [handleKind]

export type { HandleEvent } from "./actor.ts"
