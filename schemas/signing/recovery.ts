/**
 * The string that a key signs to become a recovery key (contract 21, `PUT /me/recovery`), so that nobody claims
 * another's key. Pure.
 */

const RECOVERY_SCHEME = "HUB-RECOVERY-V1"

export interface RecoveryToSign {
  readonly hubId: string
  /** Standard base64: the key that signs the request. */
  readonly currentPublicKey: string
  /** Standard base64. */
  readonly recoveryPublicKey: string
}

export const recoveryString = ({ hubId, currentPublicKey, recoveryPublicKey }: RecoveryToSign): string =>
  `${RECOVERY_SCHEME}\n${hubId}\n${currentPublicKey}\n${recoveryPublicKey}`
