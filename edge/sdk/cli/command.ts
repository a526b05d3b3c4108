/** A command, and its arguments and connections. */
import { harmless } from "../../../schemas/printed.ts"
import type { Arguments, Declared, Option } from "../../../schemas/runtime/command-line.ts"
import { type ClientOptions, type ConnectionOptions, createClient, type HubClient } from "../client.ts"
import { type Home, openHome } from "./home.ts"
import { jsonText } from "./output.ts"
import { settledKey } from "./settled.ts"

export interface Command extends Declared {
  readonly summary: string
  readonly run: (invocation: Invocation) => Promise<void>
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder of relative paths. */
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly write: (text: string) => void
  readonly warn: (line: string) => void
  /** Prints the reason why the command ends. The line is safe for a terminal already. */
  readonly fail: (line: string) => void
}

interface GivenArguments {
  readonly args: Arguments
  readonly options: Readonly<Record<string, Option>>
}

export class Invocation {
  readonly positionals: ReadonlyArray<string>
  readonly #given: GivenArguments
  readonly around: Surroundings

  constructor(given: GivenArguments, around: Surroundings) {
    this.positionals = given.args.positionals
    this.#given = given
    this.around = around
  }

  /**
   * The value of an option. Throws if the command's usage has no option of that name and type, because its value would
   * never be read.
   */
  #value(name: string, type: Option["type"], multiple = false): unknown {
    const option = this.#given.options[name]
    if (option?.type !== type || option.multiple !== multiple)
      throw new Error(`this command reads no --${name} that way`)
    return this.#given.args.values[name]
  }

  text(name: string): string | undefined {
    const value = this.#value(name, "string")
    return typeof value === "string" ? value : undefined
  }

  /** The value of an option that the usage requires. */
  needed(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw new Error(`the usage of this command does without --${name}`)
    return value
  }

  texts(name: string): ReadonlyArray<string> {
    const value = this.#value(name, "string", true)
    return Array.isArray(value) ? value : []
  }

  flag(name: string): boolean {
    return this.#value(name, "boolean") === true
  }

  /** The words after the command's name. There must be as many as `names`, in the order of the usage. */
  words<const Names extends ReadonlyArray<string>>(...names: Names): { readonly [Index in keyof Names]: string } {
    if (this.positionals.length !== names.length)
      throw new Error(`the usage of this command has other words than ${names.join(", ")}`)
    return this.positionals as { readonly [Index in keyof Names]: string }
  }

  home(): Promise<{ readonly home: Home; readonly hub: string }> {
    const [hub, home] = [this.text("hub"), this.text("home")]
    return openHome(
      { ...(hub === undefined ? {} : { hub }), ...(home === undefined ? {} : { home }) },
      this.around.env,
      this.around.cwd
    )
  }

  async stranger(): Promise<{ readonly home: Home; readonly hub: string; readonly client: HubClient }> {
    const { home, hub } = await this.home()
    return { home, hub, client: this.#client({ hub }) }
  }

  /** A client with the folder's key. A rotation that was interrupted is resolved first. */
  async agent(): Promise<{ readonly home: Home; readonly hub: string; readonly client: HubClient }> {
    const { home, hub, client } = await this.stranger()
    const key = await settledKey(home, client, this.around.warn)
    const { hx_id, id_url } = await home.known()
    const identity = hx_id === undefined || id_url === undefined ? {} : { identity: { number: hx_id, idUrl: id_url } }
    return { home, hub, client: this.#client({ hub, key, ...identity }) }
  }

  /** A client for public data. It signs requests if the folder has a key. */
  async reader(): Promise<{ readonly home: Home; readonly hub: string; readonly client: HubClient }> {
    const stranger = await this.stranger()
    const keys = await Promise.all([stranger.home.key("key"), stranger.home.key("key.next")])
    return keys.every((key) => key === null) ? stranger : this.agent()
  }

  /** The settings of connections to a hub, which are the same for every command. */
  connection(hub: string): ConnectionOptions {
    const host = this.text("host") ?? this.around.env["HUB_HOST"]
    return { hub, allowHttp: this.flag("allow-http"), ...(host === undefined || host === "" ? {} : { host }) }
  }

  #client({ hub, ...options }: ClientOptions): HubClient {
    return createClient({ ...this.connection(hub), ...options })
  }

  /** Prints the lines, or with `--json` the value. */
  print(lines: ReadonlyArray<string>, value: unknown): void {
    this.around.write(this.flag("json") ? `${this.json(value)}\n` : lines.map((line) => `${harmless(line)}\n`).join(""))
  }

  json(value: unknown, indent?: number): string {
    return jsonText(value, this.flag("show-secret"), indent)
  }
}
