/**
 * The folder of one agent at one hub.
 *
 *   key             the seed of the agent's key, in base64
 *   key.next        the seed of the new key, until the outcome of a rotation is known (rotate.ts)
 *   webhook-secret  the secret that the service and the agent's webhook share
 *   source-<n>      the token of source number n of the agent's vault
 *   recovery.key    the seed of the recovery key, until it is moved to a safer place
 *   agent.json      the address of the hub, and the agent's ids and handle there
 *
 * If the folder has no key, the key in HUB_KEY is used. Programs in compartments get their key in this way. A rotation
 * writes the new key into the folder, where it takes precedence.
 */
import { stat, utimes } from "node:fs/promises"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { type AgentKey, keyFromSeed } from "../client.ts"
import { withoutTrailing } from "../../../schemas/text.ts"
import { Fault, usage } from "./fault.ts"
import { create, ensureFolder, readSecret, remove, replace, supersede } from "./files.ts"

export type KeyName = "key" | "key.next" | "recovery.key"

export interface KnownAgent {
  readonly hub?: string
  readonly id?: string
  readonly hx_id?: string
  readonly handle?: string
  readonly id_url?: string
  /** The hub id of the agent whose key this folder's key replaces by recovery. */
  readonly recovering?: string
}

const TEXT_FIELDS = ["hub", "id", "hx_id", "handle", "id_url", "recovering"] as const

export const readKeyFile = async (path: string): Promise<AgentKey | null> => {
  const text = await readSecret(path)
  if (text === null) return null
  return keyFromSeed(text).catch(() => {
    throw new Fault("key_file_broken", `${path} holds no seed of 32 bytes in base64`)
  })
}

export const writeKeyFile = (path: string, key: AgentKey): Promise<void> => create(path, `${key.exportSeed()}\n`)

const givenKey = (seed: string): Promise<AgentKey> =>
  keyFromSeed(seed).catch(() => {
    throw new Fault("key_given_broken", "HUB_KEY holds no seed of 32 bytes in base64")
  })

export class Home {
  readonly folder: string
  /** The seed of HUB_KEY in base64, used if the folder has no key. */
  readonly #given: string | undefined

  constructor(folder: string, given?: string) {
    this.folder = folder
    this.#given = given
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  ensure(): Promise<void> {
    return ensureFolder(this.folder)
  }

  /** The key in the folder. HUB_KEY is ignored. */
  keptKey(name: KeyName): Promise<AgentKey | null> {
    return readKeyFile(this.path(name))
  }

  async key(name: KeyName): Promise<AgentKey | null> {
    const kept = await this.keptKey(name)
    return kept === null && name === "key" && this.#given !== undefined ? givenKey(this.#given) : kept
  }

  /**
   * Throws if HUB_KEY is set. A new key in the folder would take precedence over HUB_KEY, which is the key of an
   * account.
   */
  refuseGiven(): void {
    if (this.#given !== undefined) throw new Fault("key_given", "HUB_KEY is your key here: unset it to make another")
  }

  async needKey(): Promise<AgentKey> {
    const key = await this.key("key")
    if (key === null) throw new Fault("no_key", `there is no key in ${this.folder}: make one with hub-agent init`)
    return key
  }

  async keep(name: KeyName, key: AgentKey): Promise<void> {
    await this.ensure()
    await writeKeyFile(this.path(name), key)
  }

  /** Milliseconds since the file was written or `touch`ed. */
  async age(name: KeyName): Promise<number> {
    return Date.now() - (await stat(this.path(name))).mtimeMs
  }

  touch(name: KeyName): Promise<void> {
    const now = new Date()
    return utimes(this.path(name), now, now)
  }

  promoteNext(): Promise<void> {
    return supersede(this.path("key.next"), this.path("key"))
  }

  /** Renames the file of a key that is no longer used. It is not deleted, because the key may belong to an account. */
  setAside(key: AgentKey): Promise<void> {
    return supersede(this.path("key"), this.path(`key.unused-${key.hubId}`))
  }

  dropNext(): Promise<void> {
    return remove(this.path("key.next"))
  }

  async keepSecret(secret: string): Promise<string> {
    await this.ensure()
    await replace(this.path("webhook-secret"), `${secret}\n`)
    return this.path("webhook-secret")
  }

  /** Stores the token of a source. An existing file is from a revoked vault, so it is replaced. */
  async keepSourceToken(source: number, token: string): Promise<string> {
    const path = this.path(`source-${source}`)
    await this.ensure()
    await replace(path, `${token}\n`)
    return path
  }

  async secret(): Promise<string | null> {
    return (await readSecret(this.path("webhook-secret")))?.trim() ?? null
  }

  async known(): Promise<KnownAgent> {
    const text = await readSecret(this.path("agent.json"))
    if (text === null) return {}
    try {
      const found = JSON.parse(text) as Readonly<Record<string, unknown>>
      return Object.fromEntries(
        TEXT_FIELDS.flatMap((name) => (typeof found[name] === "string" ? [[name, found[name]]] : []))
      )
    } catch {
      throw new Fault("file_broken", `${this.path("agent.json")} is no JSON`)
    }
  }

  async remember(more: KnownAgent): Promise<void> {
    await this.ensure()
    await replace(this.path("agent.json"), `${JSON.stringify({ ...(await this.known()), ...more }, null, 2)}\n`)
  }
}

const folderNameOf = (hub: string): string => {
  if (!URL.canParse(hub)) throw usage(`--hub: ${hub} is no address`)
  const { host, pathname } = new URL(hub)
  return withoutTrailing(`${host}${pathname}`, "/").replaceAll(/[^A-Za-z0-9.-]/g, "_")
}

type Environment = Readonly<Record<string, string | undefined>>

const given = (text: string | undefined): string | undefined => (text === undefined || text === "" ? undefined : text)

export const openHome = async (
  options: { readonly hub?: string; readonly home?: string },
  env: Environment,
  cwd: string
): Promise<{ readonly home: Home; readonly hub: string }> => {
  const wanted = given(options.hub) ?? given(env["HUB_URL"])
  const folder = given(options.home) ?? given(env["HUB_AGENT_HOME"])
  if (wanted === undefined && folder === undefined) throw usage("which hub? --hub <url> or HUB_URL names it")
  const home = new Home(
    folder === undefined ? join(homedir(), ".hub-agent", folderNameOf(wanted ?? "")) : resolve(cwd, folder),
    given(env["HUB_KEY"])
  )
  const { hub: kept } = await home.known()
  const hub = wanted === undefined ? kept : withoutTrailing(wanted, "/")
  if (hub === undefined) throw usage(`which hub? ${home.folder} names none: --hub <url> or HUB_URL does`)
  if (kept !== undefined && kept !== hub)
    throw new Fault("other_hub", `${home.folder} is for ${kept}, not for ${hub}: use another --home`)
  return { home, hub }
}
