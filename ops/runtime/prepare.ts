/**
 * Makes this machine a host of compartments. It installs programs, starts the engine and makes the image, each if
 * necessary.
 *
 * `npm run -s hub -- runtime prepare` does it once. `npm start -- --runtime` runs this file beside the service. It
 * reports at once that it is ready, so that the start does not wait for it, prepares the host, and then watches the
 * engine. A failed step is repeated with growing pauses; `<HUB_DATA>/runtime/prepare.json` shows the progress.
 */
import { setTimeout as delay } from "node:timers/promises"
import { holdHost } from "../../actors/runtime/holding.ts"
import { LaunchFault, messageOf } from "../launcher/fault.ts"
import { dataFolder } from "../launcher/paths.ts"
import { type Engine, engineFor } from "./engine.ts"
import { buildImage } from "./image.ts"
import { placesOf } from "./places.ts"
import { type Stage, writePrepared } from "./prepared.ts"
import { ensurePrograms, requireRoot } from "./programs.ts"

const LOOK_EVERY_MS = 10_000
const RETRY_FIRST_MS = 30_000
const RETRY_MAX_MS = 10 * 60_000

export interface PrepareOptions {
  /** The absolute path of the data folder. */
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly progress: (line: string) => void
  readonly small?: boolean
  readonly signal?: AbortSignal | undefined
  readonly uid?: number | undefined
}

export interface Host {
  readonly engine: Engine
  readonly image: string
}

/** Throws if a step fails. The reason is also written to `prepare.json`. */
export const prepare = async (options: PrepareOptions): Promise<Host> => {
  const { dataDir, env, progress, signal, small = false, uid = process.getuid?.() } = options
  const { prepared, image: folder } = placesOf(dataDir)
  const letGo = await holdHost(placesOf(dataDir).folder, "preparation")
  let stage: Stage = "programs"
  const enter = (next: Stage): Promise<void> => {
    stage = next
    return writePrepared(prepared, { stage, problem: null })
  }
  try {
    requireRoot(uid)
    await enter("programs")
    await ensurePrograms({ env, progress, ...(signal === undefined ? {} : { signal }) })
    await enter("engine")
    const engine = await engineFor({ dataDir, env, progress, signal })
    await enter("image")
    const { name } = await buildImage({ socket: engine.socket, folder, env, progress, small, signal })
    await enter("ready")
    return { engine, image: name }
  } catch (cause) {
    // The progress file may not be writable either. The error that is thrown below reports the fault.
    await writePrepared(prepared, { stage, problem: messageOf(cause) }).catch(() => undefined)
    throw cause
  } finally {
    letGo()
  }
}

/** Keeps the engine running as long as this process lives: it is checked, and restarted if it has died. */
const look = async (options: PrepareOptions, host: Host, signal: AbortSignal): Promise<void> => {
  for (;;) {
    await delay(LOOK_EVERY_MS, undefined, { signal })
    const engine = await engineFor(options)
    if (engine.socket !== host.engine.socket) throw new LaunchFault("the container engine is another one now")
  }
}

export const keepPrepared = async (options: PrepareOptions & { readonly signal: AbortSignal }): Promise<void> => {
  const { signal, progress } = options
  let pause = RETRY_FIRST_MS
  while (!signal.aborted) {
    try {
      const host = await prepare(options)
      progress(`compartments have an engine at ${host.engine.socket} and the image ${host.image}`)
      pause = RETRY_FIRST_MS
      await look(options, host, signal)
    } catch (cause) {
      if (signal.aborted) return
      progress(`compartments cannot be had: ${messageOf(cause)}`)
      await delay(pause, undefined, { signal }).catch(() => undefined)
      pause = Math.min(pause * 2, RETRY_MAX_MS)
    }
  }
}

const beside = async (): Promise<void> => {
  const stop = new AbortController()
  const ask = (): void => stop.abort()
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, ask)
  process.on("disconnect", ask)
  process.send?.({ ready: true })
  const progress = (line: string): void => void process.stderr.write(`${line}\n`)
  // The lock is held between tries too, and ends with this process.
  await holdHost(placesOf(dataFolder(process.env)).folder, "preparation")
  await keepPrepared({ dataDir: dataFolder(process.env), env: process.env, progress, signal: stop.signal })
  process.exit(0)
}

if (import.meta.main) await beside()
