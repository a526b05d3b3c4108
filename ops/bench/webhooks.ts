/**
 * Measures webhooks: the cost of a delivery, the influence of dead receivers on others, and the time from a write to
 * its notification's arrival.
 */
import { fairness } from "./webhooks/fairness.ts"
import { latency } from "./webhooks/latency.ts"
import { throughput } from "./webhooks/throughput.ts"
import { openWorld } from "./webhooks/world.ts"

type Say = (line: string) => void

const CASES = { throughput, fairness, latency }

/** If `filter` is not empty, only cases whose name contains it are run. */
export const webhookCases = async (say: Say, filter: string): Promise<void> => {
  const world = await openWorld()
  try {
    for (const [name, run] of Object.entries(CASES)) {
      if (!name.includes(filter)) continue
      say(`\nwebhooks, ${name}`)
      await run(world, say)
    }
  } finally {
    await world.close()
  }
}
