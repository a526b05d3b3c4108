/** Checks a machine before any compartment starts there. Each refusal is one line. */
import type Docker from "dockerode"
import { called, orMissing } from "./docker.ts"
import { proveFilter } from "./filter.ts"
import { HostFault } from "./fault.ts"
import type { HostFacts, HostSettings } from "./types.ts"

/** The engine's description of itself, with fields that the library's types lack. */
interface Info {
  readonly ServerVersion: string
  readonly DockerRootDir: string
  readonly SecurityOptions?: ReadonlyArray<string> | null
  readonly Runtimes?: Readonly<Record<string, { readonly runtimeArgs?: ReadonlyArray<string> | null } | undefined>>
  readonly MemoryLimit: boolean
  readonly SwapLimit: boolean
  readonly CpuCfsQuota: boolean
  readonly PidsLimit: boolean
}

/** An engine that remaps users keeps its data in a folder named after the root user of its containers. */
const REMAPPED = /\/(\d+)\.(\d+)$/

function rootOf({ SecurityOptions, DockerRootDir }: Info): { readonly rootUid: number; readonly rootGid: number } {
  const remaps = SecurityOptions?.some((option) => option.split(",").includes("name=userns")) === true
  const [, uid, gid] = REMAPPED.exec(DockerRootDir) ?? []
  if (!remaps || uid === undefined || gid === undefined || Number(uid) === 0)
    throw new HostFault("the container engine does not remap users (userns-remap)")
  return { rootUid: Number(uid), rootGid: Number(gid) }
}

function checkFilters({ SecurityOptions }: Info): void {
  const filters = SecurityOptions?.some((option) => option.split(",").includes("name=seccomp")) === true
  if (!filters) throw new HostFault("the container engine does not filter system calls (seccomp)")
}

function checkBounds(info: Info): void {
  const missing = [
    ...(info.MemoryLimit ? [] : ["memory"]),
    ...(info.SwapLimit ? [] : ["swap (start the kernel with swapaccount=1)"]),
    ...(info.CpuCfsQuota ? [] : ["processor time"]),
    ...(info.PidsLimit ? [] : ["processes"])
  ]
  if (missing.length > 0) throw new HostFault(`this machine cannot bound ${missing.join(", ")} of a container`)
}

/** gVisor opens FIFOs of the host only if it is configured to. Without them, a compartment has no output. */
const isolationOf = ({ Runtimes }: Info): HostFacts["isolation"] =>
  Runtimes?.["runsc"]?.runtimeArgs?.includes("--host-fifo=open") === true ? "runsc" : "runc"

export async function examine(docker: Docker, settings: Pick<HostSettings, "tag" | "image">): Promise<HostFacts> {
  const { image } = settings
  const info = (await called(docker.info())) as Info
  const root = rootOf(info)
  checkFilters(info)
  checkBounds(info)
  if ((await orMissing(docker.getImage(image).inspect())) === null)
    throw new HostFault(`the image ${image} is not there`)
  const isolation = isolationOf(info)
  // With gVisor, programs use the system calls of gVisor's own kernel, which it filters itself.
  if (isolation === "runc") await proveFilter(docker, settings)
  return { isolation, engine: info.ServerVersion, ...root }
}
