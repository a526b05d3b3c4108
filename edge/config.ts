/**
 * Configuration of an edge: the checked environment, the service's public key, and one key of an edge's own.
 *
 * An edge is the part that strangers reach: it has no key of the service, neither to sign with nor to open with. What
 * it shows of the key is public (`HUB_SERVER_PUBLIC_KEY`); `HUB_ADDRESS_KEY` serves one purpose. `npm start` derives
 * both; in a cluster ops/deploy/secrets.sh draws them.
 */
import { type HubConfig, readConfig } from "../schemas/config.ts"
import { PUBLIC_KEY_BYTES } from "../schemas/signing/ed25519.ts"
import { decodeBase64, encodeBase64 } from "../schemas/signing/key.ts"

export interface EdgeConfig {
  readonly hub: HubConfig
  /** Of the service, standard base64. */
  readonly serverPublicKey: string
  /** Keys the hashes under which client addresses are known: nothing else may be derived from it. */
  readonly addressKey: Uint8Array
}

export class ConfigProblem extends Error {}

type Env = Readonly<Record<string, string | undefined>>

const ADDRESS_KEY_BYTES = 32

export const loadEdgeConfig = (env: Env): EdgeConfig => {
  const result = readConfig(env)
  if (!result.ok) throw new ConfigProblem(result.problem)
  return {
    hub: result.config,
    serverPublicKey: encodeBase64(keyOf(env, "HUB_SERVER_PUBLIC_KEY", PUBLIC_KEY_BYTES)),
    addressKey: keyOf(env, "HUB_ADDRESS_KEY", ADDRESS_KEY_BYTES)
  }
}

const keyOf = (env: Env, name: string, length: number): Uint8Array => {
  const bytes = decodeBase64(env[name]?.trim() ?? "", length)
  if (bytes === null) throw new ConfigProblem(`${name} must hold ${length} bytes in base64`)
  return bytes
}
