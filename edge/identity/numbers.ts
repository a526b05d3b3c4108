/** Finds the agent with a number. A number never changes its agent, so an edge may cache it for good. */
import { Effect } from "effect"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { GenerationCache } from "../http/generation-cache.ts"
import type { Refused } from "../http/refused.ts"

const NUMBERS_MAX = 50_000

export class AgentNumbers {
  private readonly bus: Bus
  private readonly known = new GenerationCache<string, string>(NUMBERS_MAX)

  constructor(bus: Bus) {
    this.bus = bus
  }

  /** The hub id; `null` if no agent has the number yet. `number` is in its canonical form. */
  agentOf(call: Call, number: string): Effect.Effect<string | null, Refused> {
    const known = this.known.get(number)
    if (known !== undefined) return Effect.succeed(known)
    const asked = this.bus.read(call, { actor: number, op: "number.resolve", input: null })
    return Effect.catch(
      Effect.map(asked, ({ agent }): string | null => {
        this.known.set(number, agent)
        return agent
      }),
      (failed) => (failed.refusal.code === "not_found" ? Effect.succeed(null) : Effect.fail(failed))
    )
  }
}
