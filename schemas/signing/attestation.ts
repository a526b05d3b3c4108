/** The string that an agent signs so that the service attests its key (contract 5). Pure. */

export const ATTESTATION_SCHEME = "HUB-VERIFY-V1"

export interface AttestationToSign {
  readonly hubId: string
  readonly challenge: string
  /** Unix seconds. */
  readonly expires: number
}

export const attestationString = ({ hubId, challenge, expires }: AttestationToSign): string =>
  `${ATTESTATION_SCHEME}\n${hubId}\n${challenge}\n${expires}`
