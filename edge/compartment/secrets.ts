/** What of secrets and of the agent's key is refused before it is sealed (contract 8, 18). */
import { secretNameProblem } from "../../schemas/compartment/fields.ts"
import { invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { encodeBase64 } from "../../schemas/signing/key.ts"
import { keyPairOfSeed, parseSeed } from "../../schemas/signing/seed.ts"

type Given = Readonly<Record<string, string | null>>

const nameRefused = (name: string, problem: string): Refusal =>
  refusal("secret_name_invalid", `A secret's name ${problem}.`, { field: "secrets", name })

/** `null`: nothing stands against them. */
export const secretsProblem = (
  secrets: Given,
  { secrets_max, secret_max_bytes }: Pick<Limits["runtime"], "secrets_max" | "secret_max_bytes">
): Refusal | null => {
  const names = Object.keys(secrets)
  if (names.length > secrets_max)
    return invalidField("secrets", `There are at most ${secrets_max} secrets.`, { max: secrets_max })
  for (const name of names) {
    const problem = secretNameProblem(name)
    if (problem !== null) return nameRefused(name.slice(0, 64), problem)
    const value = secrets[name] ?? ""
    if (value.includes("\0")) return invalidField(`secrets.${name}`, "A secret must hold no zero bytes.")
    if (Buffer.byteLength(value) > secret_max_bytes)
      return invalidField(`secrets.${name}`, `A secret has at most ${secret_max_bytes} bytes.`, {
        max: secret_max_bytes
      })
  }
  return null
}

/** `publicKey`: of whoever signed. */
export const hubKeyProblem = (seed: string, publicKey: string): Refusal | null => {
  const parsed = parseSeed(seed)
  if (parsed === null) return invalidField("hub_key", "hub_key must be base64 of the 32 bytes of a seed.")
  const isOwn = encodeBase64(keyPairOfSeed(parsed).publicKey) === publicKey
  parsed.fill(0)
  return isOwn ? null : refusal("hub_key_mismatch", "hub_key is the seed of another key than the one that signed.")
}
