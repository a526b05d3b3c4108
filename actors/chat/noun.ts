import { chatKind } from "./actor.ts"

export const kinds = [chatKind]
