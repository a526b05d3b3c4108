/** Reads the fill service's settings: arguments first, then the environment. */
import { readFileSync, statSync } from "node:fs"
import { type Program, readCommandLine } from "../../schemas/runtime/command-line.ts"
import { vaultToken } from "../../schemas/vault/token.ts"
import { StartFault } from "./refusal.ts"

export const USAGE = `npm run -s fill -- --token-file <file> --cdp http://127.0.0.1:9222 [--port 7777]
  --token-file <file>  holds the vault's hxv_ token, readable by its owner alone; or HUB_FILL_TOKEN_FILE
  --cdp <url>          where Chromium listens for its DevTools protocol; or HUB_FILL_CDP
  --port <number>      of 127.0.0.1, 7777 unless told
  --user <uid>         who else may ask, beside the user that it runs as
  --allow-http         speak http to a hub on another machine
  -h, --help           this text
HUB_URL is the hub's address, http://127.0.0.1:8080 unless told.
`

export interface Options {
  readonly token: string
  readonly cdp: string
  readonly port: number
  readonly hub: string
  /** Ids of the users who may call the service. */
  readonly users: ReadonlyArray<number>
}

type Values = {
  readonly [Name in "token-file" | "cdp" | "port" | "user"]?: string
} & { readonly "allow-http"?: boolean }

const USUAL_PORT = 7777
const PORT_MAX = 65_535
const USUAL_HUB = "http://127.0.0.1:8080"
const TOKEN_FILE_MAX_BYTES = 1024
const GROUP_AND_OTHERS_READ = 0o044
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"])

const readToken = (file: string): string => {
  const about = statSync(file, { throwIfNoEntry: false })
  if (about === undefined || !about.isFile()) throw new StartFault(`--token-file: there is no file ${file}`)
  if ((about.mode & GROUP_AND_OTHERS_READ) !== 0)
    throw new StartFault(`--token-file: ${file} may be read by others than its owner; chmod 600 it`)
  if (about.size > TOKEN_FILE_MAX_BYTES) throw new StartFault(`--token-file: ${file} holds more than a token`)
  const token = readFileSync(file, "utf8").replace(/\r?\n$/, "")
  if (vaultToken(token)?.type !== "service") throw new StartFault(`--token-file: ${file} holds no hxv_ token`)
  return token
}

const addressIn = (name: string, text: string): URL => {
  if (!URL.canParse(text)) throw new StartFault(`${name}: ${JSON.stringify(text)} is no address`)
  const url = new URL(text)
  if (!["http:", "https:"].includes(url.protocol)) throw new StartFault(`${name} must begin with http:// or https://`)
  return url
}

const portIn = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > PORT_MAX) throw new StartFault(`--port: ${JSON.stringify(text)} is no port`)
  return port
}

const USER_MAX = 2 ** 32 - 2

const usersIn = (text: string | undefined): ReadonlyArray<number> => {
  const own = process.getuid?.() ?? 0
  if (text === undefined) return [own]
  const user = /^\d{1,10}$/.test(text) ? Number(text) : -1
  if (user < 0 || user > USER_MAX) throw new StartFault(`--user: ${JSON.stringify(text)} is no user's number`)
  return [own, user]
}

const FILL: Program<{ readonly usage: ReadonlyArray<string> }> = {
  name: "npm run -s fill --",
  commands: [{ usage: [""] }],
  common: USAGE,
  refuse: (reason) => new StartFault(`${reason}\n${USAGE}`)
}

/** `null` if only the help was requested. */
export const readOptions = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Options | null => {
  const read = readCommandLine(FILL, args)
  if (read.is !== "command") return null
  const { "allow-http": allowHttp, ...values } = read.args.values as Values
  const file = values["token-file"] ?? env["HUB_FILL_TOKEN_FILE"]
  const cdp = values.cdp ?? env["HUB_FILL_CDP"]
  if (!file) throw new StartFault("--token-file or HUB_FILL_TOKEN_FILE must name the file of the vault's token")
  if (!cdp) throw new StartFault("--cdp or HUB_FILL_CDP must tell where Chromium listens")
  const hub = addressIn("HUB_URL", env["HUB_URL"] || USUAL_HUB)
  if (hub.protocol === "http:" && !LOOPBACK.has(hub.hostname) && allowHttp !== true)
    throw new StartFault("HUB_URL: a token goes to another machine by https alone, unless --allow-http says otherwise")
  const { origin } = addressIn("--cdp", cdp)
  const port = portIn(values.port ?? String(USUAL_PORT))
  const users = usersIn(values.user)
  return { token: readToken(file), cdp: origin, port, hub: hub.origin, users }
}
