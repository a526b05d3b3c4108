/** What signatures cost an edge that do not verify, or that are of a key that nobody has. */
import { describe, expect, it } from "vitest"
import { openWorld } from "./edge.ts"
import { FAILURES_PER_SECOND_MAX, Unverified } from "../../edge/auth/unverified.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import { EdgeLimits } from "../../edge/http/limits.ts"
import { LIMITS } from "../../schemas/limits.ts"

const bodies = new TextEncoder()

/** Homes of buckets that grant whatever is asked. */
const generous = {
  ask: (ask: { input: unknown }): Promise<Answer> =>
    Promise.resolve({
      head: {},
      body: bodies.encode(
        JSON.stringify({ granted: (ask.input as { wanted: number }).wanted, resets_at: Date.now() + 60_000 })
      )
    })
}

describe("signatures that do not verify", () => {
  it("are bounded on the whole edge: over the bound who failed lately is turned away, and nobody else", () => {
    const unverified = new Unverified(new EdgeLimits(machineClock, generous, LIMITS, () => "id"))
    const now = Date.now()
    // Each client and key far below a limit of its own.
    for (let i = 0; i < FAILURES_PER_SECOND_MAX; i++)
      expect(unverified.failed(`client ${i}`, `key ${i}`, now)).toBeNull()
    expect(unverified.refusal("client 7", "another key", now)).toMatchObject({ code: "overloaded", retryAfter: 1 })
    expect(unverified.refusal("who never failed", "key 7", now)).toBeNull()
    expect(unverified.refusal("client 7", "another key", now + 1000)).toBeNull()
  })
})

describe("a signature by a key that no agent has", () => {
  it("is settled before anything is read on its behalf", async () => {
    const world = await openWorld()
    try {
      const read: Array<string> = []
      world.node.onQuery("agents", () => {
        read.push("agents")
        return { ok: true, data: { items: [], total: 0 } }
      })
      world.node.on("agent.profile", () => {
        read.push("profile")
        return { data: {} }
      })
      const look = async (path: string) => (await world.edge.call(path, { signed: world.agent })).status
      expect([await look("/api/v1/agents?q=x"), read]).toEqual([200, ["agents"]])
      world.node.on("agent.authenticate", () => ({ head: { refused: { code: "key_unknown", message: "nobody's" } } }))
      read.length = 0
      for (const path of ["/api/v1/agents?q=x", "/api/v1/agents/hx0123456789abcdef01234567", "/api/v1/stats"])
        expect(await look(path), path).toBe(401)
      expect(read).toEqual([])
    } finally {
      await world.stop()
    }
  })
})
