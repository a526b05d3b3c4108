/**
 * The service's key in an operator's environment: HUB_SERVER_KEY, HUB_SERVER_KEY_FILE, or the key that was made in
 * development.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { keyPairOfSeed, parseSeed } from "../../schemas/signing/seed.ts"
import { Fault } from "../cli/fault.ts"

const filled = (value: string | undefined): value is string => value !== undefined && value !== ""

/**
 * The public half of the key in base64. No key is made if there is none: a backup must contain the key of the running
 * service.
 */
export const servicePublicKey = (env: NodeJS.ProcessEnv): string => {
  const { HUB_SERVER_KEY: text, HUB_SERVER_KEY_FILE: file, HUB_DATA: data = ".hub" } = env
  const path = filled(file) ? file : join(data, "server.key")
  const seed = parseSeed(filled(text) ? text : contentOf(path))
  if (seed === null)
    throw new Fault(`${filled(text) ? "HUB_SERVER_KEY" : path} is no key of the service: it must be base64 of 32 bytes`)
  return Buffer.from(keyPairOfSeed(seed).publicKey).toString("base64")
}

const contentOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    throw new Fault(
      `set HUB_SERVER_KEY or HUB_SERVER_KEY_FILE to the service's key: a backup is good for nothing without it (${path} cannot be read)`
    )
  }
}
