/** Refusals of secrets and of the agent's key, before they are sealed (contract 8, 18). */
import { secretNameProblem } from "../../schemas/compartment/fields.ts"
import { aboveMax, invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { encodeBase64 } from "../../schemas/signing/key.ts"
import { scanJson } from "../http/json-scan.ts"
import { keyPairOfSeed, parseSeed } from "../../schemas/signing/seed.ts"

type GivenSecrets = Readonly<Record<string, string | null>>

const nameRefused = (name: string, problem: string): Refusal =>
  refusal("secret_name_invalid", `A secret's name ${problem}.`, { field: "secrets", name })

const PROTOTYPE = "__proto__"

/**
 * Refuses a secret named `__proto__`. It examines the raw bytes, because the parser drops a member of this name
 * (http/json.ts).
 */
export const prototypeProblem = (body: Uint8Array): Refusal | null => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  if (bytes.length === 0 || !scanJson(bytes).suspect) return null
  const { secrets } = JSON.parse(bytes.toString("utf8")) as { readonly secrets?: unknown }
  const isNamed = typeof secrets === "object" && secrets !== null && Object.hasOwn(secrets, PROTOTYPE)
  return isNamed ? nameRefused(PROTOTYPE, secretNameProblem(PROTOTYPE) ?? "is none") : null
}

/** The refusal of the secrets; `null` if they may be stored. */
export const secretsProblem = (
  secrets: GivenSecrets,
  { secrets_max, secret_max_bytes }: Pick<Limits["runtime"], "secrets_max" | "secret_max_bytes">
): Refusal | null => {
  const names = Object.keys(secrets)
  if (names.length > secrets_max) return aboveMax("secrets", `There are at most ${secrets_max} secrets.`, secrets_max)
  for (const name of names) {
    const problem = secretNameProblem(name, secrets[name] === null)
    if (problem !== null) return nameRefused(name.slice(0, 64), problem)
    const value = secrets[name] ?? ""
    if (value.includes("\0")) return invalidField(`secrets.${name}`, "A secret must hold no zero bytes.")
    if (!value.isWellFormed()) return invalidField(`secrets.${name}`, "A secret must be text without lone surrogates.")
    if (Buffer.byteLength(value) > secret_max_bytes)
      return aboveMax(`secrets.${name}`, `A secret has at most ${secret_max_bytes} bytes.`, secret_max_bytes)
  }
  return null
}

/** `publicKey` is the signer's key. */
export const hubKeyProblem = (seed: string, publicKey: string): Refusal | null => {
  const parsed = parseSeed(seed)
  if (parsed === null) return invalidField("hub_key", "hub_key must be base64 of the 32 bytes of a seed.")
  const isOwn = encodeBase64(keyPairOfSeed(parsed).publicKey) === publicKey
  parsed.fill(0)
  return isOwn ? null : refusal("hub_key_mismatch", "hub_key is the seed of another key than the one that signed.")
}
