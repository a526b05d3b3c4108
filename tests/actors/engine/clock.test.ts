/** Machines need not agree on the time: an actor node that is ahead or behind takes writes like any other. */
import { expect, test } from "vitest"
import { AgentClient } from "../../support/client.ts"
import { register } from "../../support/register.ts"
import { testService } from "../../support/service.ts"

/** More than a request's whole deadline, less than what a signature's timestamp may be off. */
const APART_MS = 15_000

const shifted = (ms: number): string =>
  `data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${ms}`)}`

test.each([APART_MS, -APART_MS])("an actor node whose clock is %d ms away from the edge's", async (ms) => {
  const service = await testService({
    nodeEnv: (role) => (role === "actor" ? { NODE_OPTIONS: `--import=${shifted(ms)}` } : {})
  })
  try {
    const edge = service.system.url
    const client = new AgentClient({ edge: () => edge })
    await register(client, { edge })
    const answer = await client.call("PATCH", "/api/v1/me", { body: { description: "written" } })
    expect([answer.status, answer.json.data]).toMatchObject([200, { description: "written" }])
    expect((await client.call("GET", "/api/v1/me")).status).toBe(200)
  } finally {
    await service.stop()
  }
})
