/**
 * A Docker engine of the deployment's own: `containerd` and `dockerd`, each as a process that outlives its starter.
 *
 * Invariants
 *  - Containers outlive both (`--live-restore`). If one of the two has died, it is started again, and containers do not
 *    notice.
 *  - Users are remapped: root in a container has no rights on the host.
 *  - The engine has a separate containerd even if the machine has one, so that other users of the machine's containerd
 *    do not affect it.
 *  - The engine makes no firewall rules and no bridge. The runtime makes them.
 *  - Containers reach their files by a path that other users than root may pass, wherever the data folder is: the
 *    engine's folder is mounted a second time below `/run`.
 */
import { execFile } from "node:child_process"
import { chmod, mkdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { findProgram } from "../launcher/docker.ts"
import { LaunchFault } from "../launcher/fault.ts"
import { childrenOf, endProcess, isRunning, processesWhose } from "../launcher/proc.ts"
import { boundLog, endDaemon, lastWords, livingDaemon, startDaemon } from "./daemons.ts"
import { clientOf, type EngineFacts, factsOf, runningIn, untilAnswer, untilListens } from "./engine-client.ts"
import { withLock } from "./lock.ts"
import { bindMount, unmountBelow } from "./mounts.ts"
import type { Places } from "./places.ts"
import { programAt } from "./programs.ts"

/** Long, because an engine is slow on a machine that has just started. */
const READY_MS = 120_000
/** An engine that does not answer for this long counts as hung. */
const SILENT_MS = 30_000
const CONTAINERD_READY_MS = 30_000
/** The grace of each process. A stop may take ten seconds as a whole, and a harder end would not affect containers. */
const END_GRACE_MS = 3_000
const KILL_GRACE_MS = 5_000
const SANDBOX_TRIED_MS = 20_000
const WORDS_MAX = 200
const LOCK_WAIT_MS = 300_000
const END_LOCK_WAIT_MS = 2_000

const PASSED_BY_ALL = 0o711
const OURS_ALONE = 0o700

const logsOf = ({ engine }: Places) => ({
  dockerd: join(engine, "dockerd.log"),
  containerd: join(engine, "containerd.log")
})
const containerdConfig = ({ run }: Places): string => join(run, "containerd.toml")

/** Arguments by which our engine's process is recognized. */
const marksOf = (places: Places) => ({
  dockerd: `--pidfile=${places.pidFile}`,
  containerd: `--config ${containerdConfig(places)}`
})

const configOf = ({ passable, run, containerdSocket }: Places): string => `version = 2
root = "${join(passable, "containerd")}"
state = "${join(run, "containerd")}"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = "${containerdSocket}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${join(passable, "containerd-opt")}"
`

export const dockerdArguments = (places: Places): ReadonlyArray<string> => [
  `--host=unix://${places.socket}`,
  `--pidfile=${places.pidFile}`,
  `--data-root=${join(places.passable, "data")}`,
  `--exec-root=${join(places.run, "exec")}`,
  `--containerd=${places.containerdSocket}`,
  `--config-file=${join(places.passable, "daemon.json")}`,
  "--userns-remap=default",
  "--live-restore",
  "--iptables=false",
  "--ip6tables=false",
  "--bridge=none",
  "--log-level=warn"
]

const makeFolders = async (places: Places, { env, progress }: OwnEngineOptions): Promise<void> => {
  for (const folder of [places.folder, places.engine, places.run]) {
    await mkdir(folder, { recursive: true })
    await chmod(folder, PASSED_BY_ALL)
  }
  await bindMount(places.engine, places.passable)
  await writeFile(join(places.engine, "daemon.json"), `${JSON.stringify(await settingsOf(env, progress))}\n`, {
    mode: 0o600
  })
}

/**
 * The content of the engine's `daemon.json`. The settings of the machine's engine are not used. gVisor can be used if
 * the machine has it and it works. A compartment's output goes through FIFOs of the host, which gVisor opens only if
 * that is allowed here.
 */
export const settingsOf = async (env: NodeJS.ProcessEnv, progress: (line: string) => void): Promise<object> => {
  const runsc = await findProgram("runsc", env)
  if (runsc === undefined) return {}
  const problem = await whyNot(runsc, env)
  if (problem === null) return { runtimes: { runsc: { path: runsc, runtimeArgs: ["--host-fifo=open"] } } }
  progress(`runsc is installed, but runs nothing on this machine (${problem}): compartments get runc`)
  return {}
}

/** The reason why gVisor cannot be used: some releases fail on some kernels. `null` if it can run a program. */
const whyNot = async (runsc: string, env: NodeJS.ProcessEnv): Promise<string | null> => {
  const options = { env, timeout: SANDBOX_TRIED_MS, killSignal: "SIGKILL" } as const
  return promisify(execFile)(runsc, ["do", "true"], options).then(
    () => null,
    ({ stderr }: { readonly stderr?: string }) =>
      (stderr ?? "").trim().split("\n").at(-1)?.slice(0, WORDS_MAX) || "it does not end"
  )
}

const replaceFile = async (file: string, text: string): Promise<void> => {
  const arriving = `${file}.${process.pid}`
  await writeFile(arriving, text, { mode: 0o600 })
  await rename(arriving, file)
}

const ensureContainerd = async (places: Places, env: NodeJS.ProcessEnv): Promise<void> => {
  const { containerdPidFile, containerdSocket } = places
  const mark = marksOf(places).containerd
  if ((await livingDaemon(containerdPidFile, mark)) !== null) return
  const log = logsOf(places).containerd
  await replaceFile(containerdConfig(places), configOf(places))
  await rm(containerdSocket, { force: true })
  const program = await programAt("containerd", env)
  const pid = await startDaemon({ program, args: mark.split(" "), log })
  await replaceFile(containerdPidFile, `${pid}\n`)
  const lives = async (): Promise<boolean> => (await livingDaemon(containerdPidFile, mark)) !== null
  if (!(await untilListens(containerdSocket, CONTAINERD_READY_MS, lives)))
    throw new LaunchFault(`containerd did not begin to answer (${await lastWords(log)}); see ${log}`)
}

const ensureDockerd = async (places: Places, env: NodeJS.ProcessEnv): Promise<EngineFacts> => {
  const { pidFile, socket } = places
  const mark = marksOf(places).dockerd
  const lives = async (): Promise<boolean> => (await livingDaemon(pidFile, mark)) !== null
  if (await lives()) {
    const facts = await untilAnswer(socket, SILENT_MS, lives)
    if (facts !== null) return facts
    // The engine hangs, or it has just ended. Its containers run on without it.
    const pid = await livingDaemon(pidFile, mark)
    if (pid !== null) await endProcess(pid, "SIGKILL", KILL_GRACE_MS)
  }
  const log = logsOf(places).dockerd
  // A stale process id file would keep the engine from starting.
  await rm(pidFile, { force: true })
  await rm(socket, { force: true })
  const pid = await startDaemon({ program: await programAt("dockerd", env), args: dockerdArguments(places), log })
  const facts = await untilAnswer(socket, READY_MS, async () => isRunning(pid))
  if (facts === null) throw new LaunchFault(`the engine did not begin to answer (${await lastWords(log)}); see ${log}`)
  return facts
}

export interface OwnEngineOptions {
  readonly env: NodeJS.ProcessEnv
  readonly progress: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

const lockOf = ({ engine }: Places): string => join(engine, "lock")

/**
 * Makes sure that the engine runs and answers, by starting or repairing it if necessary. If several processes call
 * this, one of them does the work.
 */
export const ensureOwnEngine = async (places: Places, given: OwnEngineOptions): Promise<EngineFacts> => {
  const { env, signal } = given
  const options = { waitMs: LOCK_WAIT_MS, what: "the start of the container engine", signal }
  await mkdir(places.engine, { recursive: true, mode: OURS_ALONE })
  return withLock(lockOf(places), options, async () => {
    await makeFolders(places, given)
    for (const log of Object.values(logsOf(places))) await boundLog(log)
    await ensureContainerd(places, env)
    return ensureDockerd(places, env)
  })
}

/** True if the deployment's engine was ever started here. Its folder may still have containers. */
export const hasOwnEngine = async ({ engine }: Places): Promise<boolean> =>
  stat(join(engine, "data")).then(
    () => true,
    () => false
  )

/** True if containerd runs and the engine answers. Starts nothing, and empties logs that are too long. */
export const ownEngineStands = async (places: Places): Promise<boolean> => {
  if ((await livingDaemon(places.containerdPidFile, marksOf(places).containerd)) === null) return false
  for (const log of Object.values(logsOf(places))) await boundLog(log)
  return (await factsOf(places.socket)) !== null
}

export interface EngineEnd {
  readonly ended: boolean
  /** Names of running containers, which keep the engine from being ended. */
  readonly running: ReadonlyArray<string>
}

const endAll = async (places: Places, running: ReadonlyArray<{ readonly id: string }>): Promise<void> => {
  const client = clientOf(places.socket)
  for (const { id } of running) await client.getContainer(id).remove({ force: true, v: true })
}

/** containerd's shims, one for each container. They outlive both daemons. */
const shimsOf = ({ containerdSocket }: Places): ReadonlyArray<number> =>
  processesWhose((command) => command.includes("containerd-shim") && command.endsWith(`-address ${containerdSocket}`))

/** Ends a container of an engine that is dead: its first process, which is the shim's child, and then the shim. */
const killShim = async (shim: number): Promise<void> => {
  for (const child of childrenOf(shim)) await endProcess(child, "SIGKILL", KILL_GRACE_MS)
  await endProcess(shim, "SIGKILL", KILL_GRACE_MS)
}

/**
 * Ends both daemons if no container runs. With `kill` the containers are ended too. With `keep` the engine stays if
 * there are any, because its end would not end them. Mounts and the folder `run` are removed. Images and logs stay.
 */
export const endOwnEngine = async (places: Places, containers: "keep" | "kill"): Promise<EngineEnd> => {
  const marks = marksOf(places)
  const options = { waitMs: END_LOCK_WAIT_MS, what: "the end of the container engine" }
  await mkdir(places.engine, { recursive: true, mode: OURS_ALONE })
  return withLock(lockOf(places), options, async () => {
    const lives = (await livingDaemon(places.pidFile, marks.dockerd)) !== null
    const running = lives ? await runningIn(places.socket) : null
    const goOn = running?.map(({ name }) => name) ?? shimsOf(places).map((pid) => `a container (process ${pid})`)
    if (containers === "keep" && goOn.length > 0) return { ended: false, running: goOn }
    if (containers === "kill") await endAll(places, running ?? [])
    await endDaemon(places.pidFile, marks.dockerd, END_GRACE_MS)
    await endDaemon(places.containerdPidFile, marks.containerd, END_GRACE_MS)
    for (const shim of shimsOf(places)) await killShim(shim)
    await unmountBelow(places.run)
    await unmountBelow(places.engine)
    await rm(places.run, { recursive: true, force: true })
    return { ended: true, running: [] }
  })
}
