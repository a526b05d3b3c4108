/**
 * Files by which the runtime role learns of its host, each replaced in one step. They hold the progress of the
 * preparation, which explains why there are no compartments yet, and the place of the engine.
 */
import { randomUUID } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"

/** The stages of a preparation. `ready` means that there is nothing left to do. */
export const STAGES = ["programs", "engine", "image", "ready"] as const
export type Stage = (typeof STAGES)[number]

export interface Prepared {
  readonly stage: Stage
  /** The reason for a failure in one line; `null` if there is none. */
  readonly problem: string | null
  readonly at: string
}

export interface KnownEngine {
  readonly socket: string
  /** True if the engine belongs to this deployment, which may end it. */
  readonly own: boolean
}

const replace = async (file: string, value: object): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o711 })
  const arriving = `${file}.${process.pid}.${randomUUID()}`
  await writeFile(arriving, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  await rename(arriving, file)
}

export const writePrepared = (file: string, state: Omit<Prepared, "at">): Promise<void> =>
  replace(file, { ...state, at: new Date().toISOString() } satisfies Prepared)

export const writeEngine = (file: string, engine: KnownEngine): Promise<void> => replace(file, engine)

/** `null` if no engine was found or started before. */
export const readEngine = async (file: string): Promise<KnownEngine | null> => {
  const text = await readFile(file, "utf8").catch(() => null)
  return text === null ? null : (JSON.parse(text) as KnownEngine)
}

/** `null` if nothing was ever prepared. */
export const readPrepared = async (file: string): Promise<Prepared | null> => {
  const text = await readFile(file, "utf8").catch(() => null)
  return text === null ? null : (JSON.parse(text) as Prepared)
}
