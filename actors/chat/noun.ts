import { chatKind } from "./actor.ts"

export const kinds = [chatKind]

export type { ChatClaimEvent } from "./actor.ts"
export { Bot } from "./bot.ts"
export { chatHasher } from "./hash.ts"
export { chatMessageOf, valuesOf, wish } from "./message.ts"
export { LISTENER, listens } from "./polling.ts"
export { chatSending, type Sending } from "./sending.ts"
