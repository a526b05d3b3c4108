/** Postgres dies under load: agents notice nothing, queries say so honestly, and the read models catch up. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { LIMITS } from "../../schemas/limits.ts"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { openScene, type Scene } from "../chaos/scene.ts"
import { expectAppliedOnce, expectNoFault } from "../chaos/verdict.ts"

const AWAY_MS = 20_000
/** What an agent may wait for an answer while Postgres is gone. */
const SILENCE_MAX_MS = 1500
const QUERIES = ["/api/v1/agents", "/api/v1/stats", "/api/v1/categories"]

let scene: Scene

beforeAll(async () => {
  scene = await openScene("postgres", { limits: { "service.projected_wait_ms": LIMITS.service.projected_wait_ms } })
})
afterAll(() => scene?.stop())

interface Listed {
  readonly id: string
  readonly description: string
}

async function listed(edge: string): Promise<ReadonlyMap<string, string>> {
  const answer = await send({ edge, method: "GET", path: "/api/v1/agents?per_page=100" })
  return new Map((answer.json.data as ReadonlyArray<Listed>).map((agent) => [agent.id, agent.description]))
}

test("without Postgres, agents go on and queries answer 503 with Retry-After; back, the read models catch up", async () => {
  const { view, system, load, scheduling, edges } = scene
  const killedAt = performance.now()
  await system.postgres.kill()
  const answers = await Promise.all(QUERIES.flatMap((path) => edges.map((edge) => send({ edge, method: "GET", path }))))
  expect(answers.map((answer) => `${answer.status} ${answer.code}`)).toEqual(answers.map(() => "503 unavailable"))
  expect(answers.map((answer) => Number(answer.headers["retry-after"])).every((seconds) => seconds >= 1)).toBe(true)
  await waitFor(() => performance.now() - killedAt >= AWAY_MS && load.answeredSince(killedAt, 10), {
    describe: "answers without Postgres"
  })
  const until = performance.now()
  const health = await send({ edge: edges[0] ?? "", method: "GET", path: "/api/v1/health" })
  expect([health.status, (health.json.data as { status: string }).status]).toEqual([200, "degraded"])
  const silence = load.longestSilence(killedAt, until)
  const late = scheduling.between(killedAt, until)
  console.log(
    `Postgres was away for ${Math.round(until - killedAt)} ms; ` +
      `longest silence of an agent: ${Math.round(silence.ms)} ms; ` +
      `the test itself was late by ${Math.round(late)} ms; ${load.retried} retries`
  )
  expect(load.retried, "agents' requests that were answered 503").toBe(0)
  expectNoFault(load)

  await system.postgres.restart()
  await load.stop()
  const wanted = new Map(load.agents.map((agent) => [agent.hubId, agent.tokens.at(-1)]))
  for (const edge of edges) {
    await waitFor(
      async () => {
        const shown = await listed(edge)
        expect(shown).toEqual(wanted)
        return true
      },
      { describe: "the read models to catch up" }
    )
  }
  expectNoFault(load)
  await expectAppliedOnce(load, view)
  expect(silence.ms).toBeLessThan(SILENCE_MAX_MS + late)
})
