/**
 * A fill service beside an agent's browser, over a real service. The browser is a separate process. The agent and the
 * fill service control it over two connections.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, chromium, type Page } from "playwright"
import { findChromium } from "../../ops/launcher/chromium.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { programPath } from "../harness/index.ts"
import type { VaultEntry, VaultLogLine } from "../../schemas/vault/records.ts"
import { dataOf } from "./outcome.ts"
import { type TestService, testService } from "./service.ts"
import { issueToken, sealedEntry, VAULT, type Wanted, type WithVault, withVault } from "./vault.ts"
import { openWebsites, type Websites } from "./websites.ts"

const START_TIMEOUT_MS = 120_000

/** Waits for the first match in a process's output. */
const said = (child: ChildProcess, stream: "stdout" | "stderr", pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const timer = setTimeout(() => reject(new Error(`not said: ${pattern}; but ${text}`)), START_TIMEOUT_MS)
    child[stream]?.on("data", (part: Buffer) => {
      text += part.toString("utf8")
      const [, found] = pattern.exec(text) ?? []
      if (found === undefined) return
      clearTimeout(timer)
      resolve(found)
    })
    child.once("exit", (code) => {
      clearTimeout(timer)
      reject(new Error(`ended with ${code}: ${text}`))
    })
  })

const ended = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once("exit", resolve))

interface AgentBrowser {
  readonly cdp: string
  readonly agent: Browser
  /** The tab that the browser has at the start. */
  readonly page: Page
  readonly stop: () => Promise<void>
}

const openAgentBrowser = async ({ port, spki }: Websites): Promise<AgentBrowser> => {
  const profile = await mkdtemp(join(tmpdir(), "hub-fill-browser-"))
  const program = await findChromium({ env: process.env, progress: (line) => console.error(line) })
  const child = spawn(
    program,
    [
      "--headless=new",
      "--disable-gpu",
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--site-per-process",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      `--host-resolver-rules=MAP *.example 127.0.0.1:${port},MAP *.internal 127.0.0.1:${port},MAP rebound.test 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${spki}`,
      "about:blank"
    ],
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  const cdp = `http://${await said(child, "stderr", /ws:\/\/([\d.:]+)\//)}`
  const agent = await chromium.connectOverCDP(cdp)
  const [context] = agent.contexts()
  const [page] = context?.pages() ?? []
  if (page === undefined) throw new Error("the browser has no tab")
  page.setDefaultTimeout(STEP_TIMEOUT_MS)
  return {
    cdp,
    agent,
    page,
    stop: async () => {
      await agent.close()
      child.kill("SIGKILL")
      await ended(child)
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

export interface FillProcess {
  readonly url: string
  readonly child: ChildProcess
  /** The exit status, once the process has ended; `null` if a signal ended it. */
  readonly ended: () => Promise<number | null>
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

export interface FillStart {
  readonly token: string
  readonly cdp: string
  readonly hub: string
  readonly mode?: number
}

export const startFill = async ({ token, cdp, hub, mode = 0o600 }: FillStart): Promise<FillProcess> => {
  const folder = await mkdtemp(join(tmpdir(), "hub-fill-"))
  const file = join(folder, "token")
  await writeFile(file, `${token}\n`, { mode })
  const child = spawn(
    process.execPath,
    ["--no-warnings", await programPath("fill"), "--token-file", file, "--cdp", cdp, "--port", "0"],
    { cwd: projectRoot, env: { ...process.env, HUB_URL: hub }, stdio: ["ignore", "pipe", "pipe"] }
  )
  const complaints: Array<string> = []
  child.stderr.on("data", (part: Buffer) => complaints.push(part.toString("utf8")))
  const url = await said(child, "stdout", /^ready (\S+)$/m)
    .catch((error: Error) => {
      throw new Error(`${error.message} ${complaints.join("")}`)
    })
    .finally(() => rm(folder, { recursive: true, force: true }))
  return {
    url,
    child,
    ended: () => ended(child),
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return ended(child)
    }
  }
}

export interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** `headers` are added to those that a caller must send; `undefined` removes one. */
export const askFill = (
  url: string,
  method: string,
  path: string,
  body?: object | string,
  headers: Readonly<Record<string, string | undefined>> = {}
): Promise<Told> =>
  new Promise((resolve, reject) => {
    const all = { "x-hub-vault": "1", "content-type": "application/json", ...headers }
    const sent = Object.fromEntries(
      Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
    )
    const call = request(`${url}${path}`, { method, headers: sent, agent: false }, (answer) => {
      const parts: Array<Buffer> = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8")
        const { statusCode: status = 0 } = answer
        resolve({ status, headers: answer.headers, text, json: JSON.parse(text) as Told["json"] })
      })
    })
    call.on("error", reject)
    call.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body))
  })

const OPEN_TRIES = 50
/** Only a step that hangs takes this long. */
const STEP_TIMEOUT_MS = 300_000

/**
 * A page may still be navigating, or an address of the machine may change while it loads. The page is then opened
 * again.
 */
const DISTURBED = /interrupted by another navigation|net::ERR_(ABORTED|NETWORK_CHANGED)/

const openIn = async (page: Page, url: string): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      await page.goto(url)
      return
    } catch (error) {
      if (tries === OPEN_TRIES || !DISTURBED.test(String(error))) throw error
      await page.waitForLoadState()
    }
  }
}

export interface FillBench {
  readonly service: TestService
  readonly of: WithVault
  readonly websites: Websites
  readonly browser: AgentBrowser
  readonly fill: FillProcess
  readonly page: Page
  readonly write: (wanted: Wanted, more?: object) => Promise<VaultEntry>
  readonly open: (url: string) => Promise<void>
  readonly post: (path: string, body?: object) => Promise<Told>
  /** The fields that a form or script sent last. */
  readonly lastSent: () => Readonly<Record<string, string>> | undefined
  readonly journal: () => Promise<ReadonlyArray<VaultLogLine>>
  readonly stop: () => Promise<void>
}

/** For example "200 done", or the status and the code of a refusal. */
export const told = ({ status, json }: Told): string => `${status} ${String(json["code"] ?? json["status"])}`

export interface BenchOptions {
  /** Limits of the service. */
  readonly limits?: Readonly<Record<string, number>>
  /** Makes the agent and its vault. By default the agent has no owner. */
  readonly agent?: (service: TestService) => Promise<WithVault>
}

export const openBench = async (
  names: ReadonlyArray<string>,
  { limits = {}, agent = withVault }: BenchOptions = {}
): Promise<FillBench> => {
  const service = await testService({ keeper: true, limits })
  const websites = await openWebsites(names)
  const browser = await openAgentBrowser(websites)
  const of = await agent(service)
  const token = await issueToken(service, of.agent.id)
  const fill = await startFill({ token, cdp: browser.cdp, hub: service.edges[0] ?? "" })
  return {
    service,
    of,
    websites,
    browser,
    fill,
    page: browser.page,
    write: async (wanted, more = {}) =>
      dataOf(
        await of.client.call("POST", `${VAULT}/entries`, { body: { ...(await sealedEntry(of, wanted)), ...more } })
      ),
    open: (url) => openIn(browser.page, url),
    post: (path, body) => askFill(fill.url, "POST", path, body),
    lastSent: () => websites.sent.at(-1)?.fields,
    journal: async () => dataOf(await of.client.call("GET", `${VAULT}/log?per_page=100`)),
    stop: async () => {
      await fill.stop()
      await browser.stop()
      await websites.stop()
      await service.stop()
    }
  }
}
