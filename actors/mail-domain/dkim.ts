/** The key that signs mail of a domain. It is made here, and only its public half is published. */
import { generateKeyPair } from "node:crypto"
import { promisify } from "node:util"
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { DKIM_SELECTOR } from "../../schemas/mail-domain/records.ts"
import type { Sealer } from "../log/seal.ts"

/** Receivers accept keys of this size (RFC 8301), and a TXT record can hold them. */
const BITS = 2048

const generate = promisify(generateKeyPair)

export interface DkimKey {
  readonly selector: string
  readonly public_key: string
  /** Private half, PEM of PKCS#8. */
  readonly sealed: string
}

const purposeOf = (domain: string): string => `dkim ${domain}`

export const makeKey = (sealer: Sealer, domain: string): Effect.Effect<DkimKey, Refusal> =>
  Effect.tryPromise({
    try: async () => {
      const { publicKey, privateKey } = await generate("rsa", {
        modulusLength: BITS,
        publicKeyEncoding: { type: "spki", format: "der" },
        privateKeyEncoding: { type: "pkcs8", format: "pem" }
      })
      return {
        selector: DKIM_SELECTOR,
        public_key: publicKey.toString("base64"),
        sealed: sealer.seal(privateKey, purposeOf(domain))
      }
    },
    catch: () => unavailable("No key could be made for this domain. It is safe to try again.")
  })

export const openKey = (sealer: Sealer, domain: string, sealed: string): string =>
  sealer.open(sealed, purposeOf(domain))
