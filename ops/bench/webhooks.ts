/** Webhooks: what a delivery costs, what dead receivers do to the others, how soon a write's notification arrives. */
import { fairness } from "./webhooks/fairness.ts"
import { latency } from "./webhooks/latency.ts"
import { throughput } from "./webhooks/throughput.ts"
import { openWorld } from "./webhooks/world.ts"

type Say = (line: string) => void

const CASES = { throughput, fairness, latency }

/** `filter`: only cases whose name holds this text. */
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
