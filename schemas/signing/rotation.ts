/**
 * The string that a new key signs to become an agent's key (spec 4.4 `POST /me/key`), for rotation and recovery. Pure.
 */

const ROTATION_SCHEME = "HUB-ROTATE-V1"

export interface RotationToSign {
  readonly hubId: string
  /** Standard base64, as it is registered. */
  readonly currentPublicKey: string
  /** Standard base64. */
  readonly newPublicKey: string
}

export const rotationString = ({ hubId, currentPublicKey, newPublicKey }: RotationToSign): string =>
  `${ROTATION_SCHEME}\n${hubId}\n${currentPublicKey}\n${newPublicKey}`
