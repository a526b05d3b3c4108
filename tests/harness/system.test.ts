/** Tests the harness itself, with the small nodes of the launcher's tests instead of the product's. */
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isRunning } from "../../ops/launcher/proc.ts"
import { startSystem, waitFor } from "./index.ts"
import type { System } from "./index.ts"

const node = join(import.meta.dirname, "..", "launcher", "fixtures", "node.ts")
const entries = { edge: [node, "edge"], actor: [node, "actor"] }

async function health(url: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(1_000) })
  return (await response.json()) as Record<string, string>
}

describe("a system for tests", () => {
  let system: System

  beforeAll(async () => {
    system = await startSystem({ processes: true, edges: 2, actors: 2, proxies: true, entries })
  })
  afterAll(async () => {
    await system.stop()
  })

  test("gives every node its own line to NATS and all edges one address", async () => {
    const [first, second] = await Promise.all(system.edges.map((edge) => health(edge.url)))
    expect(first?.["nats"]).toBe(system.edges[0]?.line.url)
    expect(second?.["nats"]).toBe(system.edges[1]?.line.url)
    expect(first?.["nats"]).not.toBe(second?.["nats"])
    expect([first?.["base"], second?.["base"]]).toEqual([system.url, system.url])
    expect(system.logs.lines("actor 1")).toEqual([`connects to ${system.actors[0]?.line.url} as actors`])
  })

  test("what was killed stays dead until it is restarted", async () => {
    const edge = system.edges[1]
    if (edge === undefined) throw new Error("no second edge")
    const before = edge.pid
    await edge.kill()
    expect(edge.pid).toBeNull()
    await expect(health(edge.url)).rejects.toThrow("fetch failed")
    await edge.restart()
    expect(edge.pid).not.toBe(before)
    expect((await health(edge.url))["base"]).toBe(system.url)
    expect(system.logs.lines("supervisor")).toEqual([`edge 2 (pid ${before}) died, signal SIGKILL`])
  })

  test("a frozen edge is silent, then answers", async () => {
    const edge = system.edges[0]
    edge?.freeze()
    await expect(health(system.url)).rejects.toThrow("timeout")
    edge?.thaw()
    expect((await health(system.url))["base"]).toBe(system.url)
  })
})

test("a system that does not come up leaves nothing and says why", async () => {
  const start = startSystem({ processes: true, entries, env: { MISBEHAVE: "configuration" } })
  // A process that is left would cause another error.
  await expect(start).rejects.toThrow("HUB_SOMETHING must be a colour")
})

test("a stopped system has no process left, frozen ones included", async () => {
  const system = await startSystem({ processes: true, entries })
  const pids = [system.nats.pid, system.postgres.pid, system.edges[0]?.pid, system.actors[0]?.pid]
  system.actors[0]?.freeze()
  system.nats.freeze()
  await system.stop()
  expect(pids.filter((pid) => typeof pid !== "number" || isRunning(pid))).toEqual([])
})

test("waiting in vain tells what was seen last", async () => {
  const waiting = waitFor(() => null, { deadlineMs: 1, describe: "the end of time" })
  await expect(waiting).rejects.toThrow("the end of time did not come within 1 ms; last seen: null")
})
