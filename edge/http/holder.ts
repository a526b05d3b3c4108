/** The caller of a request with a vault's token (edge/vault/token.ts). */
import type { VaultToken } from "../../schemas/vault/token.ts"
import type { VaultToSeal } from "../../schemas/vault/records.ts"

export interface Bearer extends VaultToken {
  readonly token: string
  /** SHA-256 of the token in hex. */
  readonly hash: string
}

/** The caller, once the token was found valid. */
export interface Holder extends Bearer {
  readonly vault: VaultToSeal
}
