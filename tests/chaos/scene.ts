/** The whole product under load, settled, with everything a test of a fault measures by. */
import type { SystemOptions } from "../harness/index.ts"
import { waitFor } from "../harness/index.ts"
import { SchedulingDelay } from "../support/scheduling.ts"
import { type SeededRandom, seeded } from "../support/seed.ts"
import { PRODUCT_DEADLINE, type TestService, testService } from "../support/service.ts"
import { type Load, loadOf } from "./load.ts"
import { isSettled } from "./verdict.ts"

/** Each with a writer and a reader of its own. */
export const AGENTS = 20
export const ACTORS = 3

export interface Scene extends TestService {
  readonly random: SeededRandom
  readonly load: Load
  readonly scheduling: SchedulingDelay
}

export async function openScene(name: string, options: SystemOptions = {}): Promise<Scene> {
  const random = seeded(name)
  const service = await testService({
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
