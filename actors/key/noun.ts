import { keyKind } from "./actor.ts"

export const kinds = [keyKind]
