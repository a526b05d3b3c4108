/** The caller with a token of a vault (token.ts). */
import type { VaultToken } from "../../schemas/vault/token.ts"
import type { VaultToSeal } from "../../schemas/vault/records.ts"

export interface Bearer extends VaultToken {
  readonly token: string
  /** sha256 in hex. */
  readonly hash: string
}

/** With a token that holds. */
export interface Holder extends Bearer {
  readonly vault: VaultToSeal
}
