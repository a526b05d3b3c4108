/**
 * What goes on of a host's compartments when the service ends. They do: they outlive every process of it. Where none runs,
 * what is there only for them ends as well: an engine of our own, and the resolver.
 */
import { stopResolver } from "../../actors/runtime/network/resolver.ts"
import { clientOf, type RunningContainer, runningIn } from "./engine-client.ts"
import { stopEngine } from "./engine.ts"
import { placesOf } from "./places.ts"
import { readEngine } from "./prepared.ts"

const STOP_GRACE_SECONDS = 3
const COMPARTMENT_LABEL = "hub.compartment"

const nameOf = ({ labels, name }: RunningContainer): string => labels[COMPARTMENT_LABEL] ?? name

/** Of this deployment; `null` where it has no engine that answers. */
export const runningCompartments = async (dataDir: string): Promise<ReadonlyArray<RunningContainer> | null> => {
  const { known, tag } = placesOf(dataDir)
  const engine = await readEngine(known)
  return engine === null ? null : runningIn(engine.socket, `hub.tag=${tag}`)
}

/** Ends what nothing needs any more. Resolves with the ids of the compartments that run on. */
export const endUnused = async (dataDir: string): Promise<ReadonlyArray<string>> => {
  const running = await runningCompartments(dataDir)
  if (running !== null && running.length > 0) return running.map(nameOf)
  await stopResolver(placesOf(dataDir).folder)
  const engine = await readEngine(placesOf(dataDir).known)
  return engine?.own === true ? (await stopEngine(dataDir)).running : []
}

/** Ends the compartments of this host first: until the service, which wants them to run, starts again. */
export const endAll = async (dataDir: string): Promise<ReadonlyArray<string>> => {
  const running = (await runningCompartments(dataDir)) ?? []
  const engine = await readEngine(placesOf(dataDir).known)
  if (engine !== null) {
    const client = clientOf(engine.socket)
    await Promise.all(running.map(({ id }) => client.getContainer(id).stop({ t: STOP_GRACE_SECONDS })))
  }
  await endUnused(dataDir)
  return running.map(nameOf)
}
