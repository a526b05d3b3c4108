/** The details of a passkey, sealed together as one text under the account's key. */
import { Schema } from "effect"
import type { Sealer } from "../log/seal.ts"
import type { Passkey } from "./state.ts"

const Record = Schema.Struct({
  /** The passkey's id, and its public key in COSE, both in base64url. */
  credential: Schema.String,
  key: Schema.String,
  /** The counter of its signatures; 0 if the authenticator does not count. */
  counter: Schema.Int,
  transports: Schema.Array(Schema.String),
  name: Schema.String
})
export type PasskeyRecord = typeof Record.Type

const Kept = Schema.fromJsonString(Record)
const encode = Schema.encodeSync(Kept)
const decode = Schema.decodeSync(Kept)

const purposeOf = (human: string): string => `passkey ${human}`

export const sealPasskey = (sealer: Sealer, human: string, record: PasskeyRecord): string =>
  sealer.seal(encode(record), purposeOf(human))

export const openPasskey = (sealer: Sealer, human: string, { sealed }: Pick<Passkey, "sealed">): PasskeyRecord =>
  decode(sealer.open(sealed, purposeOf(human)))
