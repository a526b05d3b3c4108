/** The caller, if it is a person with a session (bearer.ts). */
export interface Bearer {
  /** `hum_…` */
  readonly human: string
  /** sha256 of the token, in hex. */
  readonly token: string
}

/** By a session that holds. */
export interface Person extends Bearer {
  readonly email_verified: boolean
}
