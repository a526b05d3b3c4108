/** A real Prometheus on the shipped configuration, with this system's addresses in the place of names of the engine. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { findPrometheus } from "../../ops/launcher/prometheus.ts"
import { textOf } from "../contract/tracked.ts"
import { testFolder, waitFor } from "../harness/index.ts"

export const CONFIG = "ops/deploy/prometheus/prometheus.yml"
export const RULES = join(projectRoot, "ops/deploy/prometheus/alerts.yml")
/** Of the shipped configuration: names of containers, which only the engine's name server knows. */
const BY_NAME = /^ {4}dns_sd_configs:\n(?: {6}.*\n)+/m
const INTERVAL = "2s"

const run = promisify(execFile)

const programs = findPrometheus({ env: process.env, progress: (line) => console.error(line) })

/** What promtool says; rejects with it where it finds fault. */
export const promtool = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout, stderr } = await run((await programs).promtool, args)
  return stdout + stderr
}

const replaced = (text: string, what: RegExp | string, by: string): string => {
  const result = text.replace(what, by)
  if (result === text) throw new Error(`${CONFIG} has no ${String(what)} any more`)
  return result
}

const configFor = (targets: ReadonlyArray<string>): string => {
  const found = replaced(textOf(CONFIG), BY_NAME, `    static_configs:\n      - targets: ${JSON.stringify(targets)}\n`)
  const own = replaced(found, "/etc/prometheus/alerts.yml", RULES)
  return own.replaceAll(/^( +(?:scrape_interval|scrape_timeout|evaluation_interval): ).*$/gm, `$1${INTERVAL}`)
}

interface Answer<Data> {
  readonly status: "success" | "error"
  readonly data: Data
  readonly error?: string
}

export interface Prometheus {
  readonly api: <Data>(path: string) => Promise<Data>
  /** How many series an expression has now. Throws what Prometheus finds wrong with it. */
  readonly seriesOf: (expression: string) => Promise<number>
  readonly stop: () => Promise<void>
}

/** `targets`: host and port of each process. */
export const startPrometheus = async (targets: ReadonlyArray<string>): Promise<Prometheus> => {
  const folder = await testFolder("prometheus")
  await mkdir(folder, { recursive: true })
  const file = join(folder, "prometheus.yml")
  await writeFile(file, configFor(targets))
  const port = await drawPort()
  const url = `http://127.0.0.1:${port}`
  let said = ""
  const child: ChildProcess = spawn(
    (await programs).prometheus,
    [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, "data")}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-4000)
  })
  const ended = once(child, "exit")
  const api = async <Data>(path: string): Promise<Data> => {
    const answer = (await (await fetch(`${url}/api/v1/${path}`)).json()) as Answer<Data>
    if (answer.status !== "success") throw new Error(`${path}: ${answer.error ?? "no success"}`)
    return answer.data
  }
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM")
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  await waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(said)
      return (await fetch(`${url}/-/ready`)).status === 200
    },
    { describe: "Prometheus to be ready" }
  ).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const seriesOf = async (expression: string): Promise<number> =>
    (await api<{ result: ReadonlyArray<unknown> }>(`query?query=${encodeURIComponent(expression)}`)).result.length
  return { api, seriesOf, stop }
}
