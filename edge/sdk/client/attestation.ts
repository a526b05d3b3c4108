/**
 * Gets the service's statement about an agent's key: the client signs a challenge, and gets a signed statement
 * (contract 5).
 */
import { ATTESTATION_SCHEME, attestationString } from "../../../schemas/signing/attestation.ts"
import type { DataOf } from "./calls.ts"
import { clientError } from "./errors.ts"
import type { AgentKey } from "./key.ts"
import type { Send } from "./registration.ts"

export type Attested = DataOf<"POST", "/agents/:ref/verify">

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const UNIX_SECONDS = /^\d{9,11}$/

/** The expected string is built here and compared. Only the expiry is taken from the service's text. */
const expiryIn = (text: string, hubId: string, challenge: string): number => {
  const [scheme, subject, named, expires = "", ...more] = text.split("\n")
  const asExpected =
    scheme === ATTESTATION_SCHEME &&
    subject === hubId &&
    named === challenge &&
    UNIX_SECONDS.test(expires) &&
    more.length === 0
  if (!CHALLENGE.test(challenge) || !asExpected)
    throw clientError("attestation_malformed", "the challenge is not one for this agent, and is not signed")
  return Number(expires)
}

export const attest = async (send: Send, key: AgentKey, hubId: string): Promise<Attested> => {
  const target = `/agents/${hubId}/verify`
  const { challenge, string_to_sign } = (await send("GET", target, null)).data as DataOf<"GET", "/agents/:ref/verify">
  const expires = expiryIn(string_to_sign, hubId, challenge)
  const signature = await key.sign(attestationString({ hubId, challenge, expires }))
  return (await send("POST", target, null, { body: { challenge, signature } })).data as Attested
}
