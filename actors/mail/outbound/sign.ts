/** DKIM (RFC 6376), by the key of the sender's domain. */
import { dkimSign } from "mailauth"
import { Effect } from "effect"
import { domainId } from "../../../schemas/mail-domain/id.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Asking } from "../../kit/worker/asks.ts"

const notSigned = unavailable("The message cannot be signed at the moment.")

export const signed = (
  ask: Asking,
  bytes: Buffer,
  { id, domain, at }: { readonly id: string; readonly domain: string; readonly at: number }
): Effect.Effect<Buffer, Refusal> =>
  Effect.gen(function* () {
    const { selector, private_key } = yield* ask(`${id}-signing`, "mail_domain.signing", domainId(domain), null)
    const key = { signingDomain: domain, selector, privateKey: private_key }
    const { signatures } = yield* Effect.tryPromise({
      try: () =>
        // The library's types require the key twice, but it is read from the list of signatures.
        dkimSign(bytes, { ...key, signatureData: [key], canonicalization: "relaxed/relaxed", signTime: new Date(at) }),
      catch: () => notSigned
    })
    return signatures === "" ? yield* Effect.fail(notSigned) : Buffer.concat([Buffer.from(signatures), bytes])
  })
