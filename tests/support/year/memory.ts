/** Memory of a server that consists of many processes with shared memory. */
import { readFileSync } from "node:fs"
import { processesIn } from "../../../ops/launcher/proc.ts"

const PSS_LINE = /^Pss:\s+(\d+) kB/m

/** The memory in bytes. Shared memory is divided among the processes that share it. */
export const postgresBytes = (cluster: string): number =>
  processesIn(cluster).reduce((sum, pid) => {
    const [, kib = "0"] = PSS_LINE.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? []
    return sum + Number(kib) * 1024
  }, 0)
