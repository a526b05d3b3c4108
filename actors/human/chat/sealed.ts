/**
 * The number of a person's chat, sealed under the account's key. When the account is erased, nobody can read it any
 * more.
 */
import type { Sealer } from "../../log/seal.ts"

const purposeOf = (human: string): string => `chat ${human}`

export const sealChat = (sealer: Sealer, human: string, chat: string): string => sealer.seal(chat, purposeOf(human))

export const openChat = (sealer: Sealer, human: string, sealed: string): string => sealer.open(sealed, purposeOf(human))
