/**
 * The compartments of one machine. The host carries out orders. Its state is on disk, in the engine and in the kernel,
 * so it may be killed at any time, and another process continues from there.
 */
import { applyUpload } from "./upload.ts"
import { Box } from "./box.ts"
import { groupsOf } from "./cgroup.ts"
import { AGENT_UID } from "./container.ts"
import { type EngineClient, openEngine } from "./docker.ts"
import { Containers, type SeenContainer } from "./engine-containers.ts"
import { execute } from "./exec.ts"
import { watchExits } from "./exits.ts"
import { HostFault, messageOf } from "./fault.ts"
import { examine } from "./open.ts"
import { awaits, startRun } from "./start.ts"
import { Readable } from "node:stream"
import type {
  Applied,
  ExecOrder,
  ExecResult,
  HostFacts,
  FoundContainer,
  Adopted,
  HostSettings,
  LogPage,
  LogQuery,
  OnUpload,
  StartOrder,
  Stats,
  Upload
} from "./types.ts"
import { type Used, usedOf } from "./volume.ts"

/** The longest grace time: a program that runs longer after SIGTERM is killed. */
const GRACE_MAX_MS = 3_000
const KILL_WAIT_MS = 10_000
const EXEC_TIMEOUT_MS = 60_000

export class Host {
  readonly facts: HostFacts
  private readonly settings: HostSettings
  private readonly engine: EngineClient
  private readonly containers: Containers
  private readonly boxes = new Map<string, Box>()
  private readonly listeners = new Set<(found: FoundContainer) => void>()
  private readonly closing = new AbortController()
  private watching: Promise<void> | null = null

  private constructor(settings: HostSettings, engine: EngineClient, facts: HostFacts) {
    this.settings = settings
    this.engine = engine
    this.facts = facts
    this.containers = new Containers(engine, settings, facts.isolation)
  }

  /** Rejects with a HostFault of one line if this machine cannot run compartments. */
  static async open(settings: HostSettings): Promise<Host> {
    const engine = openEngine(settings.socket)
    return new Host(settings, engine, await examine(engine.calls, settings))
  }

  private box(compartment: string): Box {
    const known = this.boxes.get(compartment)
    if (known !== undefined) return known
    const { rootUid, rootGid } = this.facts
    const box = new Box(compartment, this.settings, { uid: rootUid + AGENT_UID, gid: rootGid + AGENT_UID })
    this.boxes.set(compartment, box)
    return box
  }

  /**
   * All containers of this deployment. The last lines of ended ones are in their logs by then, if this process reads
   * their output.
   */
  async list(): Promise<ReadonlyArray<FoundContainer>> {
    const openings = new Map([...this.boxes].map(([id, box]) => [id, box.opening]))
    const all = await this.containers.all()
    const over = all.filter(({ state, compartment }) => state === "exited" && openings.get(compartment) !== undefined)
    await Promise.all(over.map(({ compartment }) => this.boxes.get(compartment)?.settle(openings.get(compartment))))
    return all
  }

  /** Safe to repeat, whatever an earlier start of the same run has left (start.ts). */
  start(order: StartOrder, onUpload: OnUpload): Promise<void> {
    const box = this.box(order.compartment)
    return box.alone(async () => {
      const { containers } = this
      const { isolation } = this.facts
      await startRun(
        { box, containers, quotas: this.settings.quotas, isolation, signal: box.newStart() },
        order,
        onUpload
      )
    })
  }

  /**
   * Reads a container's output again after a restart of this process. `awaiting`: its program was not started yet, and
   * `start` starts it.
   */
  adopt(compartment: string): Promise<Adopted> {
    const box = this.box(compartment)
    return box.alone(async () => {
      const seen = await this.containers.see(compartment)
      if (seen === null || seen.found.state !== "running") return "gone"
      box.output.open()
      return (await awaits(box, seen.found.run)) ? "awaiting" : "running"
    })
  }

  /**
   * Sends SIGTERM, waits for the grace time, and sends SIGKILL if the program still runs. Throws if the container has
   * not ended `KILL_WAIT_MS` later. Cancels a start that is in progress.
   */
  async stop(compartment: string, graceMs: number): Promise<void> {
    const box = this.box(compartment)
    const { opening } = box
    box.giveUpStart()
    if ((await this.containers.see(compartment))?.found.state === "running") {
      await this.containers.signal(compartment, "SIGTERM")
      if (!(await this.containers.ended(compartment, Math.min(graceMs, this.settings.graceMaxMs ?? GRACE_MAX_MS)))) {
        await this.containers.signal(compartment, "SIGKILL")
        if (!(await this.containers.ended(compartment, KILL_WAIT_MS)))
          throw new HostFault("the container does not end when it is killed")
      }
    }
    await box.settle(opening)
  }

  /** Removes the container. The compartment's data and log stay. */
  remove(compartment: string): Promise<void> {
    const box = this.box(compartment)
    box.giveUpStart()
    return box.alone(async () => {
      await this.containers.remove(compartment)
      await box.settle()
    })
  }

  destroy(compartment: string): Promise<void> {
    const box = this.box(compartment)
    box.giveUpStart()
    return box.alone(async () => {
      await this.containers.remove(compartment)
      await box.settle()
      await box.destroy()
      this.boxes.delete(compartment)
    })
  }

  apply(upload: Upload, compartment: string): Promise<Applied> {
    return this.box(compartment).alone(async () => {
      await this.running(compartment)
      return applyUpload(this.containers.patient(compartment), upload)
    })
  }

  async exec(compartment: string, { user, argv, stdin, detach }: ExecOrder): Promise<ExecResult> {
    await this.running(compartment)
    const input = Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)])
    const order = { user, argv, stdin: input, detach, timeoutMs: EXEC_TIMEOUT_MS }
    return execute(this.containers.patient(compartment), order)
  }

  /** Empty if this host stores nothing of the compartment. */
  async logs(compartment: string, query: LogQuery): Promise<LogPage> {
    const box = this.box(compartment)
    if (await box.exists()) return box.output.ring.wait(query)
    return { lines: [], truncated: false, more: false, lastId: query.sinceId ?? 0 }
  }

  say(compartment: string, text: string): void {
    this.box(compartment)
      .output.say(text)
      .catch((cause) => this.note(compartment, cause))
  }

  /** `null` if the compartment does not run. */
  async stats(compartment: string): Promise<Stats | null> {
    const seen = await this.containers.see(compartment)
    if (seen?.found.state !== "running") return null
    const { found, id, pid } = seen
    const groups = await groupsOf(pid, id)
    if (groups === null) return null
    const { used_mb } = await this.disk(compartment)
    return this.box(compartment).meter.read({ id, pid, startedAt: found.startedAt ?? Date.now() }, groups, used_mb)
  }

  /**
   * The use of the compartment's disk. The disk is mounted first if necessary, for example after a restart of the
   * machine.
   */
  async disk(compartment: string): Promise<Used> {
    const box = this.box(compartment)
    const used = await usedOf(box.volume)
    if (used !== null) return used
    if (!(await box.exists())) return { used_mb: 0 }
    return box.alone(async () => {
      await box.ensureFolders()
      await box.ensureData()
      return (await usedOf(box.volume)) ?? { used_mb: 0 }
    })
  }

  /**
   * Calls the listener for each end of a container, once its last lines are in its log. Ends while the engine was down
   * are missed.
   */
  exits(listener: (found: FoundContainer) => void): () => void {
    this.listeners.add(listener)
    this.watching ??= watchExits(
      this.engine.streams,
      this.settings.tag,
      ({ compartment, run }) => {
        this.ended(compartment, run).catch((cause) => this.note(compartment, cause))
      },
      this.closing.signal
    )
    return () => this.listeners.delete(listener)
  }

  /** Releases everything. Containers keep running. */
  async close(): Promise<void> {
    this.closing.abort()
    await this.watching
    for (const box of this.boxes.values()) box.close()
    this.boxes.clear()
  }

  private async ended(compartment: string, run: number): Promise<void> {
    const box = this.box(compartment)
    const { opening } = box
    const found = await this.containers.endOf(compartment, run)
    if (found === null) return
    await box.settle(opening)
    for (const listener of this.listeners) listener(found)
  }

  private async running(compartment: string): Promise<SeenContainer> {
    const seen = await this.containers.see(compartment)
    if (seen === null || seen.found.state !== "running") throw new HostFault("the compartment does not run")
    return seen
  }

  private note(compartment: string, cause: unknown): void {
    this.settings.note?.(`${compartment}: ${messageOf(cause)}`)
  }
}
