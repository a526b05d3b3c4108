/** The containers of this deployment. Each is found by its name, so a compartment never has two. */
import { setTimeout as delay } from "node:timers/promises"
import type Docker from "dockerode"
import { groupsOf } from "./cgroup.ts"
import { containerName, containerOptions, type Folders } from "./container.ts"
import { called, type EngineClient, EngineFault, isConflict, isMissing, LABELS, orMissing } from "./docker.ts"
import { messageOf } from "./fault.ts"
import { foundOf } from "./found.ts"
import { SharedLook } from "./shared-look.ts"
import type { HostFacts, FoundContainer, HostSettings, StartOrder } from "./types.ts"

const GONE_MAX_MS = 20_000
const PAUSE_MS = 25
/** The engine learns of a kill for memory separately from the container's end, at most this much later. */
const OOM_LATE_MS = 400

function sent(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

export interface SeenContainer {
  readonly found: FoundContainer
  /** The engine's id of the container. */
  readonly id: string
  /** The process id of the container's first process on this machine; 0 if it does not run. */
  readonly pid: number
}

export class Containers {
  private readonly engine: EngineClient
  private readonly settings: HostSettings
  private readonly isolation: HostFacts["isolation"]
  private readonly looks = new SharedLook(() => this.look())

  constructor(engine: EngineClient, settings: HostSettings, isolation: HostFacts["isolation"]) {
    this.engine = engine
    this.settings = settings
    this.isolation = isolation
  }

  private of(compartment: string): Docker.Container {
    return this.engine.calls.getContainer(containerName(this.settings.tag, compartment))
  }

  /** The container with a client for calls that may take long. */
  patient(compartment: string): Docker.Container {
    return this.engine.streams.getContainer(containerName(this.settings.tag, compartment))
  }

  async see(compartment: string): Promise<SeenContainer | null> {
    const info = await orMissing(this.of(compartment).inspect())
    return info === null ? null : { found: foundOf(info), id: info.Id, pid: info.State.Pid }
  }

  /** All containers, by a listing that begins after this call. Callers that come while one runs share the next. */
  all(): Promise<ReadonlyArray<FoundContainer>> {
    return this.looks.next()
  }

  private async look(): Promise<ReadonlyArray<FoundContainer>> {
    const filters = { label: [`${LABELS.tag}=${this.settings.tag}`] }
    const listed = await called(this.engine.calls.listContainers({ all: true, filters }))
    const seen = await Promise.all(listed.map(({ Id }) => orMissing(this.engine.calls.getContainer(Id).inspect())))
    return seen.flatMap((info) => (info === null ? [] : [foundOf(info)]))
  }

  async create(order: StartOrder, folders: Folders): Promise<void> {
    await called(this.engine.calls.createContainer(containerOptions(this.settings, order, folders, this.isolation)))
  }

  async start(compartment: string): Promise<void> {
    try {
      await this.of(compartment).start()
    } catch (cause) {
      if (!isConflict(cause)) throw new EngineFault(`the container does not start: ${messageOf(cause)}`, { cause })
    }
  }

  /**
   * Signals the container, if it runs. If its first process is one of this machine, the kernel is used directly,
   * because a busy engine is slow. A sandbox with its own kernel (gVisor) is signalled by the engine.
   */
  async signal(compartment: string, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const seen = this.isolation === "runc" ? await this.see(compartment) : null
    if (seen !== null && (await groupsOf(seen.pid, seen.id)) !== null) {
      if (sent(seen.pid, signal)) return
    }
    try {
      await this.of(compartment).kill({ signal })
    } catch (cause) {
      if (isMissing(cause) || isConflict(cause)) return
      throw new EngineFault(`the container engine refused: ${messageOf(cause)}`, { cause })
    }
  }

  /** True once the container has ended; false if the time is over first. */
  async ended(compartment: string, withinMs: number): Promise<boolean> {
    const end = Date.now() + withinMs
    for (;;) {
      if ((await this.see(compartment))?.found.state !== "running") return true
      if (Date.now() > end) return false
      await delay(PAUSE_MS)
    }
  }

  /** Removes the container, with everything that it wrote outside of its volume. */
  async remove(compartment: string): Promise<void> {
    const end = Date.now() + GONE_MAX_MS
    for (;;) {
      try {
        await orMissing(this.of(compartment).remove({ force: true, v: true }))
      } catch (cause) {
        // It is being removed already, for example by an earlier call that was cut off.
        if (!isConflict((cause as Error).cause)) throw cause
      }
      if ((await orMissing(this.of(compartment).inspect())) === null) return
      if (Date.now() > end) throw new EngineFault("the container engine does not remove a container")
      await delay(PAUSE_MS)
    }
  }

  /** The exit of a container, including details that the engine learns late. */
  async endOf(compartment: string, run: number): Promise<FoundContainer | null> {
    const look = async (): Promise<FoundContainer | null> => {
      const seen = await this.see(compartment)
      return seen?.found.run === run && seen.found.state === "exited" ? seen.found : null
    }
    const end = Date.now() + OOM_LATE_MS
    for (;;) {
      const found = await look()
      if (found === null || found.exitCode !== 137 || found.oomKilled || Date.now() > end) return found
      await delay(PAUSE_MS)
    }
  }
}
