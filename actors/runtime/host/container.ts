/** Makes the container engine's options for compartments, and for the probe of the system call filter. */
import { randomUUID } from "node:crypto"
import type Docker from "dockerode"
import { LABELS } from "./docker.ts"
import { systemCalls } from "./system-calls.ts"
import type { HostSettings, Quotas, StartOrder } from "./types.ts"

export const AGENT_UID = 1000
const MIB = 1024 * 1024
const SHM_MIB = 64
const FILES_MAX = 4096
/** When memory runs short, compartments are ended before the machine's own processes. */
const OOM_SCORE_ADJ = 500

export const containerName = (tag: string, compartment: string): string => `hub-${tag}-${compartment}`

const PLACES = { data: "/data", io: "/run/hub", names: "/etc/resolv.conf" } as const

export interface Folders {
  readonly data: string
  readonly io: string
}

const bindOf = (source: string, target: string, readOnly: boolean): Docker.MountSettings => ({
  Type: "bind",
  Source: source,
  Target: target,
  ReadOnly: readOnly,
  BindOptions: { Propagation: "rprivate" }
})

function boundsOf(quotas: Quotas): Docker.HostConfig {
  return {
    NanoCpus: Math.round(quotas.cpus * 1e9),
    Memory: quotas.memory_mb * MIB,
    // The engine takes the sum of memory and swap here, so there is no swap.
    MemorySwap: quotas.memory_mb * MIB,
    PidsLimit: quotas.pids,
    ShmSize: SHM_MIB * MIB,
    OomScoreAdj: OOM_SCORE_ADJ,
    Ulimits: [
      { Name: "core", Soft: 0, Hard: 0 },
      { Name: "nofile", Soft: FILES_MAX, Hard: FILES_MAX }
    ],
    Tmpfs: { "/tmp": `rw,exec,nosuid,nodev,size=${quotas.tmp_mb}m,mode=1777` }
  }
}

const securityOptions = (): Array<string> => ["no-new-privileges", `seccomp=${systemCalls(process.arch)}`]

const PROBE_SECONDS = 30
const PROBE_MIB = 32
const PROBE_PIDS = 16

/**
 * Options of a container that does nothing. It has the same system call filter as a compartment, so the check of the
 * filter uses it (filter.ts).
 */
export function probeOptions({ tag, image }: Pick<HostSettings, "tag" | "image">): Docker.ContainerCreateOptions {
  return {
    name: containerName(tag, `probe-${randomUUID()}`),
    Image: image,
    User: `${AGENT_UID}:${AGENT_UID}`,
    WorkingDir: "/",
    Entrypoint: ["/bin/bash", "-c", `read -t ${PROBE_SECONDS}`],
    Cmd: [],
    // Standard input stays open, so that the shell's `read` waits and gets no end of file.
    OpenStdin: true,
    HostConfig: {
      AutoRemove: true,
      NetworkMode: "none",
      Runtime: "runc",
      CapDrop: ["ALL"],
      SecurityOpt: securityOptions(),
      ReadonlyRootfs: true,
      Memory: PROBE_MIB * MIB,
      MemorySwap: PROBE_MIB * MIB,
      PidsLimit: PROBE_PIDS,
      LogConfig: { Type: "none", Config: {} }
    }
  }
}

export function containerOptions(
  { tag, image, quotas }: Pick<HostSettings, "tag" | "image" | "quotas">,
  { compartment, run, slot, extraHosts }: Omit<StartOrder, "command" | "env" | "uploads">,
  folders: Folders,
  runtime: "runsc" | "runc"
): Docker.ContainerCreateOptions {
  return {
    name: containerName(tag, compartment),
    Image: image,
    Hostname: "compartment",
    User: `${AGENT_UID}:${AGENT_UID}`,
    WorkingDir: "/",
    Entrypoint: ["/bin/bash", `${PLACES.io}/entry`],
    Cmd: [],
    Tty: false,
    OpenStdin: false,
    AttachStdin: false,
    AttachStdout: false,
    AttachStderr: false,
    Labels: {
      [LABELS.tag]: tag,
      [LABELS.compartment]: compartment,
      [LABELS.run]: String(run),
      [LABELS.slot]: String(slot.index)
    },
    NetworkingConfig: { EndpointsConfig: { [slot.network]: { IPAMConfig: { IPv4Address: slot.address } } } },
    HostConfig: {
      ...boundsOf(quotas),
      NetworkMode: slot.network,
      ExtraHosts: [...extraHosts],
      Mounts: [
        bindOf(folders.data, PLACES.data, false),
        bindOf(folders.io, PLACES.io, true),
        bindOf(`${folders.io}/resolv.conf`, PLACES.names, true)
      ],
      Runtime: runtime,
      CapDrop: ["ALL"],
      SecurityOpt: securityOptions(),
      ReadonlyRootfs: true,
      IpcMode: "private",
      Init: false,
      RestartPolicy: { Name: "no" },
      LogConfig: { Type: "none", Config: {} }
    }
  }
}
