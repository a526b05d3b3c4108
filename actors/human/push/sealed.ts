/**
 * A browser's push subscription, sealed under the account's key. When the account is erased, nobody can read it any
 * more.
 */
import { Schema } from "effect"
import { StoredSubscription } from "../../../schemas/push/operations.ts"
import type { Sealer } from "../../log/seal.ts"

/** `key`: the service's public key that the browser subscribed with. It accepts messages of this key only. */
export const Browser = Schema.Struct({ name: Schema.String, key: Schema.String, subscription: StoredSubscription })
export type Browser = typeof Browser.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Browser))
const purposeOf = (human: string): string => `push ${human}`

export const sealSubscription = (sealer: Sealer, human: string, browser: Browser): string =>
  sealer.seal(JSON.stringify(browser), purposeOf(human))

/** Throws if the subscription was sealed under another key. */
export const openSubscription = (sealer: Sealer, human: string, sealed: string): Browser =>
  decode(sealer.open(sealed, purposeOf(human)))
