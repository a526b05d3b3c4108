/**
 * The string that a recovery key must sign (contract 21, `PUT /me/recovery`), so that nobody can set a key that they do
 * not own. Pure.
 */

const RECOVERY_SCHEME = "HUB-RECOVERY-V1"

export interface RecoveryToSign {
  readonly hubId: string
  /** The key that signs the request, in standard base64. */
  readonly currentPublicKey: string
  /** Standard base64. */
  readonly recoveryPublicKey: string
}

export const recoveryString = ({ hubId, currentPublicKey, recoveryPublicKey }: RecoveryToSign): string =>
  `${RECOVERY_SCHEME}\n${hubId}\n${currentPublicKey}\n${recoveryPublicKey}`
