import { challengeKind } from "./actor.ts"

export const kinds = [challengeKind]
