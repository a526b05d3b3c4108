/**
 * What the service signs in its own name and for nobody in particular: id = `own`. The seed stays on this side of the
 * bus; an edge may ask for these very texts and no others.
 */
import { sign } from "node:crypto"
import { Schema } from "effect"
import { invalidField } from "../../schemas/errors.ts"
import { encodeBase64 } from "../../schemas/signing/key.ts"
import { ownDirectoryParameters, ownDirectoryString } from "../../schemas/signing/own-directory.ts"
import { keyPairOfSeed } from "../../schemas/signing/seed.ts"
import { read } from "../engine/definition.ts"
import { type Fold, kind } from "../kind.ts"

/** How long a signature over the service's key directory holds; edges ask for a new one once a minute. */
const DIRECTORY_LIFETIME_SECONDS = 600

const fold: Fold<null, never> = { kind: "service", state: Schema.Null, initial: null, events: null, evolve: () => null }

export const serviceKind = kind(fold, ({ seed, config }) => {
  const pair = keyPairOfSeed(seed)
  const publicKey = encodeBase64(pair.publicKey)
  return {
    logless: true,
    operations: {
      "service.sign_directory": read<null, { readonly authority: string }>((_state, { authority }, { at }) => {
        if (!config.hosts.includes(authority))
          return { refused: invalidField("authority", "The service has no such host.") }
        const created = Math.floor(at / 1000)
        const directory = { publicKey, authority, created, expires: created + DIRECTORY_LIFETIME_SECONDS }
        const signature = sign(null, Buffer.from(ownDirectoryString(directory)), pair.privateKey).toString("base64")
        return {
          data: { signature_input: `hub=${ownDirectoryParameters(directory)}`, signature: `hub=:${signature}:` }
        }
      })
    }
  }
})
