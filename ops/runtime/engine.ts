/**
 * The Docker engine of compartments: the configured one, else the deployment's own if it exists (own-engine.ts). Else
 * it is the machine's if that remaps users, or a new one of the deployment's own. An engine that does not remap is not
 * used: a program that breaks out of a container there would be root.
 */
import { placesOf } from "./places.ts"
import { LaunchFault } from "../launcher/fault.ts"
import { factsOf } from "./engine-client.ts"
import { type KnownEngine, readEngine, writeEngine } from "./prepared.ts"
import { type EngineEnd, endOwnEngine, ensureOwnEngine, hasOwnEngine, ownEngineStands } from "./own-engine.ts"

export const MACHINE_SOCKET = "/var/run/docker.sock"

export type Engine = KnownEngine

export interface EngineOptions {
  /** The absolute path of the data folder. */
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly progress: (line: string) => void
  readonly signal?: AbortSignal | undefined
  readonly machineSocket?: string
}

const named = async (socket: string): Promise<Engine> => {
  const facts = await factsOf(socket)
  if (facts === null) throw new LaunchFault(`HUB_DOCKER_SOCKET names ${socket}, where no container engine answers`)
  if (facts.remapsUsers) return { socket, own: false }
  throw new LaunchFault(
    `HUB_DOCKER_SOCKET names ${socket}, whose engine does not remap users: ` +
      `set "userns-remap": "default" in its daemon.json, or unset HUB_DOCKER_SOCKET for an engine of the hub's own`
  )
}

const found = async (options: EngineOptions): Promise<Engine> => {
  const { dataDir, env, progress, signal, machineSocket = MACHINE_SOCKET } = options
  const wanted = env["HUB_DOCKER_SOCKET"]?.trim() ?? ""
  if (wanted !== "") return named(wanted.replace(/^unix:\/\//, ""))
  const places = placesOf(dataDir)
  // Containers of our engine stay there, even if the machine has got another engine since.
  if (await ownEngineStands(places)) return { socket: places.socket, own: true }
  if (!(await hasOwnEngine(places)) && (await factsOf(machineSocket))?.remapsUsers === true)
    return { socket: machineSocket, own: false }
  progress("starting a container engine for compartments")
  await ensureOwnEngine(places, { env, progress, signal })
  return { socket: places.socket, own: true }
}

/**
 * Finds or starts the engine. Several callers at once get the same. The role `runtime` reads about it in `engine.json`.
 * Throws a LaunchFault of one line if there is none.
 */
export const engineFor = async (options: EngineOptions): Promise<Engine> => {
  const engine = await found(options)
  const { known } = placesOf(options.dataDir)
  const before = await readEngine(known)
  if (before?.socket !== engine.socket || before.own !== engine.own) await writeEngine(known, engine)
  return engine
}

/** Stops only our own engine. The machine's engine does not belong to this service. */
export const stopEngine = (dataDir: string, containers: "keep" | "kill" = "keep"): Promise<EngineEnd> =>
  endOwnEngine(placesOf(dataDir), containers)
