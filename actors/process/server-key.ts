/**
 * Keys of the service on the actor side (contract 15, 16). Each comes from the environment, or from the file that
 * `…_FILE` names. In development it is made once and kept in the data folder. If several processes start at the same
 * time, exactly one of them makes the file, and the others read it. It is written under another name and then linked
 * into place, so it is either complete or not there.
 */
import { randomBytes } from "node:crypto"
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { HubConfig } from "../../schemas/config.ts"
import { formatSeed, parseSeed, SEED_BYTES } from "../../schemas/signing/seed.ts"

type SeedResult = { readonly ok: true; readonly seed: Uint8Array } | { readonly ok: false; readonly problem: string }

type Env = NodeJS.ProcessEnv
type Place = Pick<HubConfig, "env" | "data">

export const serverSeed = (place: Place, env: Env): SeedResult => keyOf(place, env, "HUB_SERVER_KEY", "server.key")

/** The key that seals the keys of mailboxes. */
export const mailKey = (place: Place, env: Env): SeedResult => keyOf(place, env, "HUB_MAIL_KEY", "mail.key")

/** The key that seals the private keys of vaults. Only the keeper reads it. */
export const vaultKey = (place: Place, env: Env): SeedResult => keyOf(place, env, "HUB_VAULT_KEY", "vault.key")

/** The key that secrets of compartments are sealed to. Only their hosts read it. */
export const runtimeKey = (place: Place, env: Env): SeedResult => keyOf(place, env, "HUB_RUNTIME_KEY", "runtime.key")

/** The former vault key, used while `hub vault rewrap` seals its keys again; `null` if there is none. */
export const formerVaultKey = (env: Env): SeedResult | null => {
  const [text, file] = [env["HUB_VAULT_KEY_FORMER"], env["HUB_VAULT_KEY_FORMER_FILE"]]
  if (text !== undefined && text !== "") return parsed(text, "HUB_VAULT_KEY_FORMER")
  return file === undefined || file === "" ? null : readSeed(file, "HUB_VAULT_KEY_FORMER_FILE")
}

const keyOf = (place: Place, env: Env, name: string, fileName: string): SeedResult => {
  const [text, file] = [env[name], env[`${name}_FILE`]]
  if (text !== undefined && text !== "") return parsed(text, name)
  if (file !== undefined && file !== "") return readSeed(file, `${name}_FILE`)
  if (place.env === "production") return { ok: false, problem: `${name} or ${name}_FILE is required in production` }
  const path = join(place.data, fileName)
  makeOnce(path)
  return readSeed(path, path)
}

const parsed = (text: string, name: string): SeedResult => {
  const seed = parseSeed(text)
  return seed === null ? { ok: false, problem: `${name} must be base64 of ${SEED_BYTES} bytes` } : { ok: true, seed }
}

const readSeed = (path: string, name: string): SeedResult => {
  try {
    return parsed(readFileSync(path, "utf8"), name)
  } catch {
    return { ok: false, problem: `${name}: the file ${path} cannot be read` }
  }
}

const ASIDE_BYTES = 8

const makeOnce = (path: string): void => {
  // Containers with one volume may have the same pid, and a crash may have left the file of an earlier one.
  const aside = `${path}.${randomBytes(ASIDE_BYTES).toString("hex")}`
  try {
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(aside, formatSeed(randomBytes(SEED_BYTES)), { mode: 0o600, flag: "wx" })
    linkSync(aside, path)
  } catch {
    // Either another process was first, or the folder cannot be written. Reading the file shows which.
  } finally {
    try {
      unlinkSync(aside)
    } catch {
      // The file was not written.
    }
  }
}
