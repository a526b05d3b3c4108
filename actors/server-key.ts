/**
 * The service's seed on the actor side (contract 15): HUB_SERVER_KEY, or the file that HUB_SERVER_KEY_FILE names; in
 * development made once and kept under the data folder. Several processes start at once: the file is made by exactly
 * one of them, complete or not at all (written aside, then linked into place), and read by the others.
 */
import { randomBytes } from "node:crypto"
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { HubConfig } from "../schemas/config.ts"
import { formatSeed, parseSeed, SEED_BYTES } from "../schemas/signing/seed.ts"

type SeedResult = { readonly ok: true; readonly seed: Uint8Array } | { readonly ok: false; readonly problem: string }

export const serverSeed = (config: HubConfig, env: NodeJS.ProcessEnv): SeedResult => {
  const { HUB_SERVER_KEY: text, HUB_SERVER_KEY_FILE: file } = env
  if (text !== undefined && text !== "") return parsed(text, "HUB_SERVER_KEY")
  if (file !== undefined && file !== "") return readSeed(file, "HUB_SERVER_KEY_FILE")
  if (config.env === "production")
    return { ok: false, problem: "HUB_SERVER_KEY or HUB_SERVER_KEY_FILE is required in production" }
  const path = join(config.data, "server.key")
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

const makeOnce = (path: string): void => {
  const aside = `${path}.${process.pid}`
  try {
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(aside, formatSeed(randomBytes(SEED_BYTES)), { mode: 0o600, flag: "wx" })
    linkSync(aside, path)
  } catch {
    // Another process was first, or the folder cannot be written: reading says which.
  } finally {
    try {
      unlinkSync(aside)
    } catch {
      // It was never made.
    }
  }
}
