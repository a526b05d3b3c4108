/** The operator's commands while the service works: read models made anew from the log, an actor's history read back. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { hub } from "../support/hub.ts"
import { openScene, type Scene } from "./scene.ts"
import { expectAppliedOnce, expectNoFault } from "./verdict.ts"

let scene: Scene

beforeAll(async () => {
  scene = await openScene("rebuild")
})
afterAll(() => scene?.stop())

interface Listed {
  readonly id: string
  readonly description: string
  readonly handle: string
}

interface ReplayStep {
  readonly state: { readonly description: string; readonly handle: string; readonly status: string; readonly number: number }
}

async function listed(): Promise<ReadonlyArray<Listed>> {
  const answer = await send({ edge: scene.random.pick(scene.edges), method: "GET", path: "/api/v1/agents?per_page=100&sort=oldest" })
  expect(answer.status).toBe(200)
  return answer.json.data as ReadonlyArray<Listed>
}

test("read models are rebuilt under load; no agent is hindered and nothing is missing afterwards", async () => {
  const { load, view } = scene
  const began = performance.now()
  const said = await hub(scene.system, ["rebuild"])
  expect(said).toMatch(/^read models rebuilt: \d+ sequences in [\d.]+ s$/m)
  await waitFor(() => load.answeredSince(began, 10), { describe: "answers during and after the rebuild" })
  await load.stop()
  const wanted = new Map(load.agents.map((agent) => [agent.hubId, agent.tokens.at(-1)]))
  await waitFor(async () => {
    expect(new Map((await listed()).map((agent) => [agent.id, agent.description]))).toEqual(wanted)
    return true
  }, { describe: "the directory to be whole" })
  expectNoFault(load)
  expect(load.retried).toBe(0)
  await expectAppliedOnce(load, view)
}, 40_000)

test("replay tells of an agent what the interface tells of it", async () => {
  const { load, random } = scene
  const agent = random.pick(load.agents)
  const shown = (await agent.reader.retrying("GET", "/api/v1/me")).json.data as Record<string, unknown>
  const steps = JSON.parse(await hub(scene.system, ["replay", "agent", String(shown["handle"]), "--json"])) as ReadonlyArray<ReplayStep>
  expect(steps).toHaveLength(agent.acknowledged + 1)
  const last = steps.at(-1)?.state
  const { description, handle, name, links, transparency, status, roles, is_system } = shown
  expect(last).toMatchObject({ description, handle, name, links, transparency, status, roles, is_system })
  expect(`HX-${String(last?.number).padStart(6, "0")}`).toBe(shown["hx_id"])
})
