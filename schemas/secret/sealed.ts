/**
 * Texts that stand sealed in events and states. Declared by these, so that whoever shows or passes on what the log holds
 * can be tried on every one of them.
 */
import { Schema } from "effect"

/** As actors/log/seal.ts makes it; it begins with its format. */
export const Sealed = Schema.String.annotate({ sealed: "sealed" })
/** Sealed to a public key (`crypto_box_seal`): base64 and nothing else. */
export const SealedBox = Schema.String.annotate({ sealed: "box" })
