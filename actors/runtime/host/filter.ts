/**
 * Checks that the engine applies the system call filter. It reads the kernel's own report on a process, because an
 * engine may claim to filter without doing so. A process also inherits the filters of its parent.
 */
import { readFile } from "node:fs/promises"
import type Docker from "dockerode"
import { probeOptions } from "./container.ts"
import { called } from "./docker.ts"
import { HostFault } from "./fault.ts"
import type { HostSettings } from "./types.ts"

/** The value of `Seccomp` in /proc/<pid>/status for a process whose system calls are filtered. */
const BY_FILTER = 2

interface Status {
  readonly parent: number
  readonly mode: number
  /** `NaN` before Linux 5.9, which does not count them. */
  readonly filters: number
}

const statusOf = async (pid: number): Promise<Status | null> => {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => null)
  if (text === null) return null
  const lines = text.split("\n")
  const number = (name: string): number =>
    Number(lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1) ?? NaN)
  return { parent: number("PPid"), mode: number("Seccomp"), filters: number("Seccomp_filters") }
}

/**
 * True if the process has a filter in addition to those of its parent, or if the kernel does not tell their numbers.
 */
export async function isFiltered(pid: number): Promise<boolean> {
  const own = await statusOf(pid)
  if (own === null || own.mode !== BY_FILTER) return false
  const parent = await statusOf(own.parent)
  return Number.isNaN(own.filters) || parent === null || own.filters > parent.filters
}

/** Rejects with a HostFault if a container that should have the filter does not have it. */
export async function proveFilter(docker: Docker, settings: Pick<HostSettings, "tag" | "image">): Promise<void> {
  const container = await called(docker.createContainer(probeOptions(settings)))
  try {
    await called(container.start())
    const { State } = await called(container.inspect())
    if (!(await isFiltered(State.Pid)))
      throw new HostFault("the container engine says that it filters system calls (seccomp), and does not")
  } finally {
    await container.remove({ force: true }).catch(() => undefined)
  }
}
