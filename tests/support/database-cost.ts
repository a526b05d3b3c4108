/** Processor time of a piece of work, including that of Postgres. */
import { readFileSync } from "node:fs"
import type pg from "pg"
import { cpuOf } from "../../ops/bench/cpu.ts"
import { cpuMsOf } from "./cost.ts"

/** The kernel counts the time of other processes in steps of 10 ms, so a smaller figure means nothing. */
export const MEASURABLE_MS = 50

export const databaseCost = async (pool: pg.Pool): Promise<(work: () => unknown) => Promise<number>> => {
  const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid")
  const status = readFileSync(`/proc/${rows[0]?.pid}/status`, "utf8")
  const server = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
  return async (work) => {
    const before = cpuOf([server])
    const own = await cpuMsOf(work)
    return own + (cpuOf([server]) - before) / 1000
  }
}
