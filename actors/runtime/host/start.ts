/**
 * Starts a program for one run, whatever an earlier try has left on the host.
 *
 * Invariants
 *  - A run's program starts at most once. The start is marked on disk before the program gets its command and
 *    environment. A container that ended after this mark had its run. One that ended before it is created again.
 *  - A compartment never has two containers: one of an older run is removed before the new one is created.
 *  - The program starts only after its files are in place, and after the kernel shows that it limits the container and
 *    filters its system calls.
 */
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { groupsOf, missingBounds } from "./cgroup.ts"
import type { Box } from "./box.ts"
import type { Containers, SeenContainer } from "./engine-containers.ts"
import { HostFault } from "./fault.ts"
import { isFiltered } from "./filter.ts"
import { asksAgain, deliver, encodeGiven } from "./given.ts"
import { givenFifo } from "./output.ts"
import type { HostFacts, StartedProgram, OnUpload, Quotas, StartOrder } from "./types.ts"
import { applyUpload } from "./upload.ts"

export interface Starting {
  readonly box: Box
  readonly containers: Containers
  readonly quotas: Quotas
  readonly isolation: HostFacts["isolation"]
  readonly signal: AbortSignal
}

/**
 * Removes a container of an older run, and one that ended before its program started. Returns the container of this
 * run, or `null`.
 */
async function clear({ box, containers }: Starting, run: number): Promise<SeenContainer | null> {
  const seen = await containers.see(box.id)
  if (seen === null) return null
  if (seen.found.run > run) throw new HostFault("a newer run of the compartment is there")
  const over = seen.found.state === "exited" && (seen.found.run < run || !(await box.isMarked(run)))
  if (seen.found.run === run && !over) return seen
  await containers.remove(box.id)
  await box.settle()
  return null
}

const foldersOf = (box: Box) => ({ data: box.volume.mount, io: box.outputPlace.io })

/** A created container may be unable to start, because its network was replaced meanwhile. It is then created again. */
async function run(starting: Starting, order: StartOrder, made: boolean): Promise<void> {
  const { box, containers } = starting
  try {
    await containers.start(box.id)
  } catch (cause) {
    await containers.remove(box.id)
    await box.settle()
    if (!made) throw cause
    await containers.create(order, foldersOf(box))
    box.output.open()
    await containers.start(box.id)
  }
}

async function checkBounds({ box, containers, quotas, isolation }: Starting): Promise<void> {
  const seen = await containers.see(box.id)
  if (seen === null || seen.found.state !== "running") throw new HostFault("the container ended at once")
  const groups = await groupsOf(seen.pid, seen.id)
  const missing = groups === null ? ["anything"] : await missingBounds(groups, quotas)
  const isJudged = isolation === "runsc" || (await isFiltered(seen.pid))
  if (missing.length === 0 && isJudged) return
  await containers.remove(box.id)
  if (missing.length > 0) throw new HostFault(`the kernel does not bound ${missing.join(", ")} of the container`)
  throw new HostFault("the kernel does not filter the system calls of the container (seccomp)")
}

/** Marks the run, then passes the program its command and environment. */
async function give({ box, containers }: Starting, run: number, given: StartedProgram) {
  await deliver(givenFifo(box.outputPlace), encodeGiven(given), {
    before: () => box.mark(run),
    gone: async () => (await containers.see(box.id))?.found.state !== "running"
  })
}

/** True if the first process of a running container still waits for its command and environment. */
export async function awaits(box: Box, run: number): Promise<boolean> {
  if (!(await box.isMarked(run))) return true
  const path = givenFifo(box.outputPlace)
  if (!existsSync(path)) return false
  if (await asksAgain(path)) return true
  await rm(path, { force: true })
  return false
}

async function applyAll({ box, containers, signal }: Starting, order: StartOrder, onUpload: OnUpload): Promise<void> {
  for (const upload of order.uploads) {
    signal.throwIfAborted()
    await onUpload(upload, await applyUpload(containers.patient(box.id), upload))
  }
}

/**
 * The file system of its data is made while the engine makes the container. A failure is reported once both have ended.
 */
async function make({ box, containers }: Starting, order: StartOrder, seen: SeenContainer | null): Promise<void> {
  await box.ensureFolders()
  const both = await Promise.allSettled([
    box.ensureData(),
    seen === null ? containers.create(order, foldersOf(box)) : Promise.resolve()
  ])
  for (const one of both) if (one.status === "rejected") throw one.reason
}

export async function startRun(starting: Starting, order: StartOrder, onUpload: OnUpload): Promise<void> {
  const { box, signal } = starting
  // An order that cannot be encoded is refused before anything is made.
  encodeGiven(order)
  const seen = await clear(starting, order.run)
  if (seen?.found.state === "exited") return
  if (seen?.found.state !== "running") {
    await make(starting, order, seen)
    signal.throwIfAborted()
    box.output.open()
    await run(starting, order, seen !== null)
  }
  box.output.open()
  if (!(await awaits(box, order.run))) return
  await checkBounds(starting)
  await applyAll(starting, order, onUpload)
  signal.throwIfAborted()
  await give(starting, order.run, order)
}
