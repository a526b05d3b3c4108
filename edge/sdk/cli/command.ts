/** A command and its inputs. */
import type { ParseArgsConfig } from "node:util"
import { harmless } from "../../../schemas/printed.ts"
import { type ClientOptions, type ConnectionOptions, createClient, type HubClient } from "../client.ts"
import { usage } from "./fault.ts"
import { type Home, openHome } from "./home.ts"
import { jsonText } from "./output.ts"
import { settledKey } from "./settled.ts"

export type OptionTable = NonNullable<ParseArgsConfig["options"]>

export interface Command {
  /** Without the program's name: `get <path>`. */
  readonly usage: ReadonlyArray<string>
  readonly summary: string
  /** Takes words after its name. */
  readonly words?: true
  /** Options besides those that every command has. */
  readonly options?: OptionTable
  readonly run: (invocation: Invocation) => Promise<void>
}

/** The commands of one noun, each with a word of its own: `post publish`, `post show`. */
export interface CommandGroup {
  readonly actions: Readonly<Record<string, Command>>
}

export const COMMON_OPTIONS: OptionTable = {
  hub: { type: "string" },
  host: { type: "string" },
  home: { type: "string" },
  json: { type: "boolean" },
  "show-secret": { type: "boolean" },
  "allow-http": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" }
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths begin at. */
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly write: (text: string) => void
  readonly warn: (line: string) => void
  /** Why the command ends, made harmless before. */
  readonly fail: (line: string) => void
}

export class Invocation {
  readonly positionals: ReadonlyArray<string>
  readonly #values: Readonly<Record<string, unknown>>
  readonly around: Surroundings

  constructor(positionals: ReadonlyArray<string>, values: Readonly<Record<string, unknown>>, around: Surroundings) {
    this.positionals = positionals
    this.#values = values
    this.around = around
  }

  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === "string" ? value : undefined
  }

  texts(name: string): ReadonlyArray<string> {
    const value = this.#values[name]
    return Array.isArray(value) ? value : []
  }

  /** The words after the command's name, one for each of these; all are needed, and no more are taken. */
  words<const Names extends ReadonlyArray<string>>(...names: Names): { readonly [Index in keyof Names]: string } {
    if (this.positionals.length !== names.length)
      throw usage(`needs ${names.map((name) => `<${name}>`).join(" ")}, and nothing else`)
    return this.positionals as { readonly [Index in keyof Names]: string }
  }

  flag(name: string): boolean {
    return this.#values[name] === true
  }

  home(): Promise<{ readonly home: Home; readonly hub: string }> {
    const [hub, home] = [this.text("hub"), this.text("home")]
    return openHome(
      { ...(hub === undefined ? {} : { hub }), ...(home === undefined ? {} : { home }) },
      this.around.env,
      this.around.cwd
    )
  }

  /** A client that has no key. */
  async stranger(): Promise<{ readonly home: Home; readonly hub: string; readonly client: HubClient }> {
    const { home, hub } = await this.home()
    return { home, hub, client: this.#client({ hub }) }
  }

  /** A client with the folder's key, after a rotation that was broken off has been looked into. */
  async agent(): Promise<{ readonly home: Home; readonly hub: string; readonly client: HubClient }> {
    const { home, hub, client } = await this.stranger()
    const key = await settledKey(home, client, this.around.warn)
    const { hx_id, id_url } = await home.known()
    const identity = hx_id === undefined || id_url === undefined ? {} : { identity: { number: hx_id, idUrl: id_url } }
    return { home, hub, client: this.#client({ hub, key, ...identity }) }
  }

  /** For what anybody may read: signed where the folder has a key, and not signed where it has none. */
  async reader(): Promise<{ readonly home: Home; readonly hub: string; readonly client: HubClient }> {
    const stranger = await this.stranger()
    const keys = await Promise.all([stranger.home.key("key"), stranger.home.key("key.next")])
    return keys.every((key) => key === null) ? stranger : this.agent()
  }

  /** The settings of connections to that hub, the same for every command. */
  connection(hub: string): ConnectionOptions {
    const host = this.text("host") ?? this.around.env["HUB_HOST"]
    return { hub, allowHttp: this.flag("allow-http"), ...(host === undefined || host === "" ? {} : { host }) }
  }

  #client({ hub, ...options }: ClientOptions): HubClient {
    return createClient({ ...this.connection(hub), ...options })
  }

  /** Lines in words, or with `--json` the value. */
  print(lines: ReadonlyArray<string>, value: unknown): void {
    this.around.write(this.flag("json") ? `${this.json(value)}\n` : lines.map((line) => `${harmless(line)}\n`).join(""))
  }

  json(value: unknown, indent?: number): string {
    return jsonText(value, this.flag("show-secret"), indent)
  }
}
