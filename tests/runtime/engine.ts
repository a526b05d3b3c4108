/**
 * A container engine of the test's own that remaps users, whose containers outlive its daemon. It ends with the test, and
 * its containers, mounts and bridges with it.
 */
import { execFileSync } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type DockerTools, findDocker } from "../../ops/launcher/docker.ts"
import { spawnTied, type TiedProcess } from "../../ops/launcher/tied.ts"
import { call } from "../deploy/engine.ts"
import { waitFor } from "../harness/index.ts"
import { IMAGE, imageArchive } from "./image.ts"

const READY_MS = 300_000
const STOP_GRACE_MS = 60_000
const STARTS_MAX = 3

export interface TestEngine {
  readonly folder: string
  readonly socket: string
  readonly docker: (...args: ReadonlyArray<string>) => Promise<string>
  /** SIGKILL to the daemon. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

function startDaemon(tools: DockerTools, folder: string): Promise<TiedProcess> {
  const command = [
    tools.dockerd,
    `--host=unix://${join(folder, "docker.sock")}`,
    `--data-root=${join(folder, "data")}`,
    `--exec-root=${join(folder, "exec")}`,
    `--pidfile=${join(folder, "pid")}`,
    "--userns-remap=default",
    "--live-restore",
    "--iptables=false",
    "--ip6tables=false",
    "--bridge=none"
  ]
  const log = openSync(join(folder, "log"), "a")
  return spawnTied({ command, stdio: ["ignore", log, log], stopSignal: "SIGTERM" }).finally(() => closeSync(log))
}

/** Innermost first. */
export async function unmountIn(folder: string): Promise<void> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").map((line) => line.split(" ")[1] ?? "")
  for (const mount of mounts.filter((one) => one.startsWith(`${folder}/`)).toReversed())
    await call("umount", [mount], {})
}

/** On a disk: a folder in memory would be memory of the machine twice over. */
export async function startTestEngine(): Promise<TestEngine> {
  const tools = await findDocker({ env: process.env, progress: (line) => console.error(line) })
  const archive = await imageArchive(tools)
  const folder = await mkdtemp(join(tmpdir(), "hub-engine-"))
  // The users of its containers pass through it.
  await chmod(folder, 0o711)
  const socket = join(folder, "docker.sock")
  const env = { PATH: process.env["PATH"], HOME: folder, DOCKER_HOST: `unix://${socket}` }
  const docker = (...args: ReadonlyArray<string>) => call(tools.docker, args, { env })
  let daemon: TiedProcess | undefined
  let ready = false
  const startOnce = async () => {
    daemon = await startDaemon(tools, folder)
    const answers = waitFor(() => docker("info", "--format", "{{.ServerVersion}}"), {
      describe: "an engine that answers",
      deadlineMs: READY_MS
    })
    const died = daemon.exited.then(async () => {
      throw new Error(`the engine ended: ${(await readFile(join(folder, "log"), "utf8")).slice(-2000)}`)
    })
    await Promise.race([answers, died])
  }
  /** A daemon that finds the remains of a killed one may give up, and does not the next time. */
  const start = async () => {
    for (let left = STARTS_MAX; ; left--) {
      const failed = await startOnce().then(
        () => null,
        (cause: unknown) => cause
      )
      if (failed === null) return
      if (left === 1) throw failed
    }
  }
  /** Containers outlive the daemon, and bridges do. */
  const clear = async () => {
    const all = (await docker("ps", "-aq")).split("\n").filter((id) => id !== "")
    if (all.length > 0) await docker("rm", "-f", ...all)
    await docker("network", "prune", "-f")
  }
  const stop = async () => {
    if (daemon?.hasExited() === true && ready) await start()
    if (ready) await clear()
    await daemon?.stop(STOP_GRACE_MS)
    await unmountIn(folder)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await start()
    ready = true
    await docker("import", archive, IMAGE)
  } catch (cause) {
    await stop()
    throw cause
  }
  const kill = async () => {
    await daemon?.kill()
  }
  return { folder, socket, docker, kill, start, stop }
}

/** Which process on this machine is a container's first. */
export function firstProcess(engine: TestEngine, container: string): Promise<number> {
  return engine.docker("inspect", "--format", "{{.State.Pid}}", container).then(Number)
}

export const processIsThere = (pid: number): boolean => {
  try {
    execFileSync("kill", ["-0", String(pid)], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
