/**
 * Configuration of an edge: the checked environment, the service's public key, and one key for edges.
 *
 * Strangers can reach an edge, so it has no key of the service to sign or decrypt with. It has only the public half of
 * the service's key (`HUB_SERVER_PUBLIC_KEY`), and `HUB_ADDRESS_KEY` for one purpose. `npm start` derives both. In a
 * cluster ops/deploy/secrets.sh makes them.
 */
import { Effect } from "effect"
import { type HubConfig, readConfig } from "../../schemas/config.ts"
import { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"
import { PUBLIC_KEY_BYTES } from "../../schemas/signing/ed25519.ts"
import { decodeBase64, encodeBase64 } from "../../schemas/signing/key.ts"

export interface EdgeConfig {
  readonly hub: HubConfig
  /** The service's public key, standard base64. */
  readonly serverPublicKey: string
  /** The key for the hashes of client addresses. It must not be used for anything else. */
  readonly addressKey: Uint8Array
}

type Env = Readonly<Record<string, string | undefined>>

const ADDRESS_KEY_BYTES = 32

export const loadEdgeConfig = (env: Env): Effect.Effect<EdgeConfig, ConfigurationFault> =>
  Effect.gen(function* () {
    const result = readConfig(env)
    if (!result.ok) return yield* new ConfigurationFault({ message: result.problem })
    return {
      hub: result.config,
      serverPublicKey: encodeBase64(yield* keyOf(env, "HUB_SERVER_PUBLIC_KEY", PUBLIC_KEY_BYTES)),
      addressKey: yield* keyOf(env, "HUB_ADDRESS_KEY", ADDRESS_KEY_BYTES)
    }
  })

const keyOf = (env: Env, name: string, length: number): Effect.Effect<Uint8Array, ConfigurationFault> => {
  const bytes = decodeBase64(env[name]?.trim() ?? "", length)
  return bytes === null
    ? Effect.fail(new ConfigurationFault({ message: `${name} must hold ${length} bytes in base64` }))
    : Effect.succeed(bytes)
}
