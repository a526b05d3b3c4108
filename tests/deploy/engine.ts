/**
 * A Docker engine of the test's own, with its data in the test's folder: what the test makes is nobody else's, and what
 * is somebody else's it cannot touch. It ends with the test, and its containers with it.
 */
import { execFile } from "node:child_process"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { type DockerTools, findDocker } from "../../ops/launcher/docker.ts"
import { spawnTied, type TiedProcess } from "../../ops/launcher/tied.ts"
import { testFolder, waitFor } from "../harness/index.ts"

const run = promisify(execFile)

const READY_MS = 300_000
const STOP_GRACE_MS = 60_000
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024
/** No call of the client may take longer. */
const CALL_TIMEOUT_MS = 1_800_000

export interface CallOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

export interface Engine {
  readonly folder: string
  readonly tools: DockerTools
  /** Environment of a shell that talks to it. */
  readonly env: NodeJS.ProcessEnv
  /** Runs `docker ...`; rejects with what it wrote when it fails. */
  readonly docker: (args: ReadonlyArray<string>, options?: CallOptions) => Promise<string>
  readonly stop: () => Promise<void>
}

/** Runs a program; rejects with what it wrote when it fails. */
export async function call(program: string, args: ReadonlyArray<string>, options: CallOptions): Promise<string> {
  const settings = { ...options, maxBuffer: OUTPUT_MAX_BYTES, timeout: CALL_TIMEOUT_MS, killSignal: "SIGTERM" as const }
  try {
    return (await run(program, [...args], settings)).stdout
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`, { cause })
  }
}

function startDaemon(tools: DockerTools, folder: string, host: string): Promise<TiedProcess> {
  const command = [
    tools.dockerd,
    "--host",
    host,
    "--data-root",
    join(folder, "data"),
    "--exec-root",
    join(folder, "exec"),
    "--pidfile",
    join(folder, "pid"),
    // Containers are on networks of their own only.
    "--bridge",
    "none"
  ]
  return spawnTied({ command, stdio: ["ignore", "ignore", "ignore"], stopSignal: "SIGTERM" })
}

/** An engine leaves the network namespace of its own behind, mounted. */
async function unmountIn(folder: string): Promise<void> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").map((line) => line.split(" ")[1] ?? "")
  for (const mount of mounts.filter((one) => one.startsWith(`${folder}/`)).toReversed())
    await call("umount", [mount], {})
}

export async function startEngine(): Promise<Engine> {
  const tools = await findDocker({ env: process.env, progress: (line) => console.error(line) })
  const folder = await testFolder("engine")
  const host = `unix://${join(folder, "docker.sock")}`
  await mkdir(join(folder, "config"))
  await writeFile(join(folder, "config", "config.json"), JSON.stringify({ cliPluginsExtraDirs: [tools.plugins] }))
  // The engine's own builder: a newer one would be one more program to have.
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    DOCKER_HOST: host,
    DOCKER_CONFIG: join(folder, "config"),
    DOCKER_BUILDKIT: "0"
  }
  const daemon = await startDaemon(tools, folder, host)
  const docker: Engine["docker"] = (args, options = {}) =>
    call(tools.docker, args, { ...options, env: { ...env, ...options.env } })
  const stop = async () => {
    await daemon.stop(STOP_GRACE_MS)
    await unmountIn(folder)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await waitFor(() => docker(["info", "--format", "{{.ServerVersion}}"]), {
      describe: "an engine that answers",
      deadlineMs: READY_MS
    })
  } catch (cause) {
    await stop()
    throw cause
  }
  return { folder, tools, env, docker, stop }
}
