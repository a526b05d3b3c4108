/** The caller of a request, if it is a person with a session (edge/human/bearer.ts). */
export interface Bearer {
  /** The person's id, `hum_…`. */
  readonly human: string
  /** SHA-256 of the token, in hex. */
  readonly token: string
}

/** The person, once the session was found valid. */
export interface Person extends Bearer {
  readonly email_verified: boolean
}
