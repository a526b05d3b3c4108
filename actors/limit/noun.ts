import { limitKind } from "./actor.ts"

export const kinds = [limitKind]
