/**
 * Handles a host's compartments when the service ends. Compartments run on without it. If none is running, their
 * infrastructure ends as well: their network with its firewall and resolver, and the deployment's own engine.
 */
import { EngineNetworks } from "../../actors/runtime/host/docker.ts"
import { type Holder, holdersOf } from "../../actors/runtime/holding.ts"
import { bridgesInUse, removeNetwork } from "../../actors/runtime/network/removal.ts"
import { LaunchFault, messageOf } from "../launcher/fault.ts"
import { clientOf, type RunningContainer, runningIn } from "./engine-client.ts"
import { stopEngine } from "./engine.ts"
import { placesOf } from "./places.ts"
import { readEngine } from "./prepared.ts"

const STOP_GRACE_SECONDS = 3
const COMPARTMENT_LABEL = "hub.compartment"

const nameOf = ({ labels, name }: RunningContainer): string => labels[COMPARTMENT_LABEL] ?? name

/** The running compartments of this deployment; `null` if it has no engine that answers. */
export const runningCompartments = async (dataDir: string): Promise<ReadonlyArray<RunningContainer> | null> => {
  const { known, tag } = placesOf(dataDir)
  const engine = await readEngine(known)
  return engine === null ? null : runningIn(engine.socket, `hub.tag=${tag}`)
}

export interface EndedHost {
  /** Ids of the compartments that run on, or their bridges if no engine can be asked. */
  readonly running: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

/** If no compartment runs, ends their network and the deployment's own engine. */
export const endUnused = async (dataDir: string): Promise<EndedHost> => {
  const { folder, known } = placesOf(dataDir)
  const running = await runningCompartments(dataDir)
  // A dead engine does not end its containers.
  const goOn = running === null ? await bridgesInUse(folder) : running.map(nameOf)
  if (goOn.length > 0) return { running: goOn, removed: [] }
  const engine = await readEngine(known)
  const networks = running === null || engine === null ? null : new EngineNetworks(engine.socket)
  // The network is removed before the engine ends, because the engine would make its bridges again when it starts.
  const removed = await removeNetwork(folder, networks)
  const still = engine?.own === true ? (await stopEngine(dataDir)).running : []
  return { running: still, removed }
}

const HOW_TO_STOP = "stop the service first (npm start, or the process with HUB_ROLES=runtime)"
/**
 * Names the processes that hold the lock. A preparation holds it once as long as it lives, and a second time while it
 * works.
 */
const called = (holders: ReadonlyArray<Holder>): string =>
  [...new Set(holders.map(({ worker, pid }) => `${worker} pid ${pid}`))].join(", ")

export interface EndedContainers {
  readonly ended: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

/**
 * Ends the compartments of this host and their infrastructure. They start again with the service. If the service runs,
 * this is refused with a LaunchFault of one line: the service would start the compartments again at once.
 */
export const endAll = async (dataDir: string): Promise<EndedContainers> => {
  const holders = await holdersOf(placesOf(dataDir).folder)
  if (holders.length > 0)
    throw new LaunchFault(
      `the runtime of ${dataDir} is at work (${called(holders)}) and would start again what is ended: ${HOW_TO_STOP}`
    )
  const running = (await runningCompartments(dataDir)) ?? []
  const engine = await readEngine(placesOf(dataDir).known)
  if (engine !== null) {
    const client = clientOf(engine.socket)
    await Promise.all(running.map(({ id }) => client.getContainer(id).stop({ t: STOP_GRACE_SECONDS })))
  }
  const after = await endUnused(dataDir).catch((cause: unknown) => {
    throw new LaunchFault(messageOf(cause))
  })
  if (after.running.length > 0) throw new LaunchFault(`still there: ${after.running.join(", ")}`)
  return { ended: running.map(nameOf), removed: after.removed }
}
