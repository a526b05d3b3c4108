/**
 * Types for sealed texts in events and states. The annotations let tests check that tools which show or pass on the log
 * handle every one of them.
 */
import { Schema } from "effect"

/** A text sealed by actors/log/seal.ts. It begins with its format. */
export const Sealed = Schema.String.annotate({ sealed: "sealed" })
/** A text sealed to a public key (`crypto_box_seal`): only base64. */
export const SealedBox = Schema.String.annotate({ sealed: "box" })
