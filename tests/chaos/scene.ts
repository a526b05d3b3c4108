/** The whole product under load, settled, with everything a test of a fault measures by. */
import type { NodeControl, SystemOptions } from "../harness/index.ts"
import { waitFor } from "../harness/index.ts"
import { SchedulingDelay } from "../support/scheduling.ts"
import { type SeededRandom, seeded } from "../support/seed.ts"
import { PRODUCT_DEADLINE, type TestService, testService } from "../support/service.ts"
import { type Load, type LoadedAgent, loadOf } from "./load.ts"
import { homeOf, isSettled, sessionOf } from "./verdict.ts"

/** Each with a writer and a reader of its own. */
const AGENTS = 20
export const ACTORS = 3

export interface Scene extends TestService {
  readonly random: SeededRandom
  readonly load: Load
  readonly scheduling: SchedulingDelay
}

export async function openScene(name: string, options: SystemOptions = {}): Promise<Scene> {
  const random = seeded(name)
  const service = await testService({
    processes: true,
    edges: 2,
    actors: ACTORS,
    ...options,
    limits: { ...PRODUCT_DEADLINE, ...options.limits }
  })
  const scheduling = new SchedulingDelay()
  try {
    await waitFor(() => isSettled(service.view, ACTORS), { describe: "three actor nodes with shards" })
    const load = await loadOf(AGENTS, service.edges, random)
    load.start()
    await waitFor(() => load.answeredSince(0, 10), { describe: "answers before the fault" })
    const stop = async () => {
      await load.stop()
      scheduling.stop()
      await service.stop()
    }
    return { ...service, random, load, scheduling, stop }
  } catch (cause) {
    scheduling.stop()
    await service.stop()
    throw cause
  }
}

interface Victim {
  readonly victim: NodeControl
  /** Agents of the load that are at home with it. */
  readonly hit: ReadonlyArray<LoadedAgent>
}

/** One of the actor processes that are home to agents: shortly after a start, a process may have one shard and nobody. */
export function victimOf({ view, system, load, random }: Scene): Promise<Victim> {
  const atHome = async (victim: NodeControl): Promise<Victim> => {
    const session = await sessionOf(view, victim.pid)
    return { victim, hit: load.agents.filter((agent) => homeOf(view, agent.hubId) === session) }
  }
  return waitFor(
    async () => {
      const homes = (await Promise.all(system.actors.map(atHome))).filter(({ hit }) => hit.length > 0)
      return homes.length > 0 ? random.pick(homes) : undefined
    },
    { describe: "an actor process that is home to an agent" }
  )
}
