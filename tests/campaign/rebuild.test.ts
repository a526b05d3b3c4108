/**
 * The operator's commands while the service works: read models made anew from the log, an actor's history read back.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { breath } from "../support/breath.ts"
import { send } from "../support/http.ts"
import { hub } from "../support/hub.ts"
import { openScene, type Scene } from "../chaos/scene.ts"
import { expectAppliedOnce, expectNoFault } from "../chaos/verdict.ts"

let scene: Scene

beforeAll(async () => {
  scene = await openScene("rebuild", {
    limits: { "rate_limits.id_directory.requests": 1_000_000, "service.request_deadline_ms": 60_000 }
  })
})
afterAll(() => scene?.stop())

interface Listed {
  readonly id: string
  readonly description: string
  readonly handle: string
}

interface ReplayStep {
  readonly state: {
    readonly description: string
    readonly handle: string
    readonly status: string
    readonly number: number
  }
}

async function listed(edge = scene.random.pick(scene.edges)): Promise<ReadonlyArray<Listed>> {
  const answer = await send({ edge, method: "GET", path: "/api/v1/agents?per_page=100&sort=oldest" })
  expect(answer.status).toBe(200)
  return answer.json.data as ReadonlyArray<Listed>
}

interface Seen {
  readonly reads: number
  /** What any read missed: agents of the list, entries of a score history, agents of the identity directory. */
  readonly missed: ReadonlyArray<string>
}

/** Reads what the read models serve, on every edge all the while, until it is asked what it saw. */
function watchReads(): { readonly reads: () => number; readonly stop: () => Promise<Seen> } {
  const ids = scene.load.agents.map((agent) => agent.hubId)
  const missed: Array<string> = []
  const over = new AbortController()
  let reads = 0
  const watch = async (edge: string): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const shown = new Map((await listed(edge)).map((agent) => [agent.id, agent]))
      missed.push(...ids.filter((id) => !shown.has(id)))
      const one = shown.get(ids[turn % ids.length] ?? "")
      const history = await send({ edge, method: "GET", path: `/api/v1/agents/${one?.handle}/scores` })
      if ((history.json.data as { entries?: ReadonlyArray<unknown> } | undefined)?.entries?.length !== 1)
        missed.push(`scores: ${history.status} ${history.text}`)
      const directory = await send({ edge, method: "GET", path: "/api/v1/id/directory" })
      if ((directory.json.data as { count?: number } | undefined)?.count !== ids.length)
        missed.push(`directory: ${directory.status}`)
      reads++
      await breath()
    }
  }
  const all = Promise.all(scene.edges.map(watch))
  return {
    reads: () => reads,
    stop: async () => {
      over.abort()
      await all
      return { reads, missed }
    }
  }
}

test("read models are rebuilt under load, several times; no read ever misses a row, no agent is hindered", async () => {
  const { load, view } = scene
  const began = performance.now()
  const watch = watchReads()
  for (let round = 0; round < 3; round++) {
    const before = watch.reads()
    const said = await hub(scene.system, ["rebuild"])
    expect(said).toMatch(
      /^agent rebuilt: \d+ commits in [\d.]+ s, \d+ a second; agents, .* took over at sequence \d+$/m
    )
    expect(said).toMatch(/^seen rebuilt: /m)
    await waitFor(() => watch.reads() > before, { describe: "reads during and after the rebuild" })
  }
  await waitFor(() => load.answeredSince(began, 10), { describe: "answers during and after the rebuild" })
  const { reads, missed } = await watch.stop()
  expect(reads).toBeGreaterThan(10)
  expect(missed).toEqual([])
  await load.stop()
  const wanted = new Map(load.agents.map((agent) => [agent.hubId, agent.tokens.at(-1)]))
  await waitFor(
    async () => {
      expect(new Map((await listed()).map((agent) => [agent.id, agent.description]))).toEqual(wanted)
      return true
    },
    { describe: "the directory to be whole" }
  )
  expectNoFault(load)
  expect(load.retried).toBe(0)
  await expectAppliedOnce(load, view)
})

test("replay tells of an agent what the interface tells of it", async () => {
  const { load, random } = scene
  const agent = random.pick(load.agents)
  const shown = (await agent.reader.retrying("GET", "/api/v1/me")).json.data as Record<string, unknown>
  const steps = JSON.parse(
    await hub(scene.system, ["replay", "agent", String(shown["handle"]), "--json"])
  ) as ReadonlyArray<ReplayStep>
  expect(steps).toHaveLength(agent.acknowledged + 1)
  const last = steps.at(-1)?.state
  const { description, handle, name, links, transparency, status, roles, is_system } = shown
  expect(last).toMatchObject({ description, handle, name, links, transparency, status, roles, is_system })
  expect(`HX-${String(last?.number).padStart(6, "0")}`).toBe(shown["hx_id"])
})
