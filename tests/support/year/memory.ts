/** Memory of a server of many processes that share most of it. */
import { readFileSync } from "node:fs"
import { processesIn } from "../../../ops/launcher/proc.ts"

const PSS_LINE = /^Pss:\s+(\d+) kB/m

/** Bytes. Each process counts its part of what it shares. */
export const postgresBytes = (cluster: string): number =>
  processesIn(cluster).reduce((sum, pid) => {
    const [, kib = "0"] = PSS_LINE.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? []
    return sum + Number(kib) * 1024
  }, 0)
