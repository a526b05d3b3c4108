/**
 * Configuration of an edge: the checked environment and the service's own key.
 *
 * The key comes from `HUB_SERVER_KEY`, else from the file that `HUB_SERVER_KEY_FILE` names. In development, where
 * neither is set, it is made once and kept in the data folder. Several processes may start at once: each writes a file
 * of its own and links it to the final name, which only one can win; so nobody ever reads half a key.
 */
import { createHmac, randomBytes, sign } from "node:crypto"
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type HubConfig, readConfig } from "../schemas/config.ts"
import { formatSeed, keyPairOfSeed, parseSeed, SEED_BYTES } from "../schemas/signing/seed.ts"

export interface EdgeConfig {
  readonly hub: HubConfig
  /** The service's own key: public in standard base64; what it signs is the service's word. */
  readonly serverKey: { readonly publicKey: string; readonly sign: (text: string) => Uint8Array }
  /** Keys the hashes under which client addresses are known: nothing else may be derived from it. */
  readonly addressKey: Uint8Array
}

export class ConfigProblem extends Error {}

type Env = Readonly<Record<string, string | undefined>>

export const loadEdgeConfig = async (env: Env): Promise<EdgeConfig> => {
  const result = readConfig(env)
  if (!result.ok) throw new ConfigProblem(result.problem)
  const seed = await serverSeed(env, result.config)
  const { privateKey, publicKey } = keyPairOfSeed(seed)
  return {
    hub: result.config,
    serverKey: { publicKey: Buffer.from(publicKey).toString("base64"), sign: (text) => sign(null, Buffer.from(text, "utf8"), privateKey) },
    addressKey: createHmac("sha256", seed).update("hub client addresses").digest()
  }
}

const serverSeed = async (env: Env, config: HubConfig): Promise<Uint8Array> => {
  const text = env["HUB_SERVER_KEY"]?.trim() ?? ""
  if (text !== "") return seedOf(text, "HUB_SERVER_KEY")
  const file = env["HUB_SERVER_KEY_FILE"]?.trim() ?? ""
  if (file !== "") return seedOf(await readNamed(file), "HUB_SERVER_KEY_FILE")
  if (config.env === "production") throw new ConfigProblem("HUB_SERVER_KEY (or HUB_SERVER_KEY_FILE) must be set in production")
  return seedOf(await keptSeed(config.data), `${join(config.data, "server.key")}`)
}

const seedOf = (text: string, source: string): Uint8Array => {
  const seed = parseSeed(text)
  if (seed === null) throw new ConfigProblem(`${source} must hold ${SEED_BYTES} bytes in base64`)
  return seed
}

const readNamed = async (file: string): Promise<string> => {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    throw new ConfigProblem(`HUB_SERVER_KEY_FILE cannot be read: ${codeOf(error)}`)
  }
}

const keptSeed = async (data: string): Promise<string> => {
  const path = join(data, "server.key")
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw new ConfigProblem(`HUB_DATA: ${path} cannot be read: ${codeOf(error)}`)
  }
  const own = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`
  try {
    await mkdir(data, { recursive: true })
    await writeFile(own, formatSeed(randomBytes(SEED_BYTES)), { mode: 0o600, flag: "wx" })
    await link(own, path).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error
    })
  } catch (error) {
    throw new ConfigProblem(`HUB_DATA: ${path} cannot be written: ${codeOf(error)}`)
  } finally {
    await rm(own, { force: true })
  }
  return readFile(path, "utf8")
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error)
