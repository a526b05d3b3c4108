/**
 * Streams beside the log that are full: those that must forget nothing refuse what is new, and say so; the others make
 * room, and nobody notices.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { LIMITS } from "../../schemas/limits.ts"
import { streams } from "../../schemas/subjects.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { verifyAt, visit } from "../support/proof.ts"
import { register, type Registered } from "../support/register.ts"
import { testService, type TestService } from "../support/service.ts"

const SMALL_BYTES = 4096
/** More requests than a stream of that size has messages for. */
const MANY = 200

let service: TestService
let edge = ""
let client: AgentClient
let agent: Registered

beforeAll(async () => {
  service = await testService({
    limits: {
      "rate_limits.id_verify.requests": 1_000_000,
      "service.nonces_max_bytes": 8 * SMALL_BYTES,
      "service.proofs_max_bytes": SMALL_BYTES,
      "service.seen_max_bytes": SMALL_BYTES,
      "service.verified_max_bytes": SMALL_BYTES,
      "service.limits_max_bytes": SMALL_BYTES,
      "service.idempotency_bytes_per_agent": SMALL_BYTES / LIMITS.service.agents,
      "service.idempotency_min_bytes": SMALL_BYTES,
      // One owner may push out all others, as many do at these sizes.
      "service.answer_owners_min": SMALL_BYTES / LIMITS.limits.answer_bytes_per_day,
      "service.answer_new_agent_parts": 1
    }
  })
  edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  agent = await register(client, { edge })
})
afterAll(() => service?.stop())

const bytesOf = async (stream: string): Promise<number> => (await service.view.manager.streams.info(stream)).state.bytes

const refusedBy = async (ask: () => Promise<Answer>): Promise<Answer> => {
  for (let asked = 0; asked < MANY * 5; asked++) {
    const answer = await ask()
    if (answer.status !== 200) return answer
  }
  throw new Error("nothing was refused")
}

test("answers under Idempotency-Keys make room for later ones", async () => {
  for (let write = 0; write < 30; write++) {
    const body = { description: `The description of number ${write}, ${"which is long ".repeat(10)}` }
    expect(
      outcome(await client.call("PATCH", "/api/v1/me", { body, headers: { "idempotency-key": `k${write}` } }))
    ).toBe("200")
  }
  const kept = await bytesOf(streams.newcomersIdempotency)
  expect([kept > 0, kept <= SMALL_BYTES / 2]).toEqual([true, true])
})

test("a proof that cannot be remembered is not judged good, and the website hears why", async () => {
  const refused = await refusedBy(() => verifyAt(edge, visit(client.identity, agent.hx_id)))
  expect(outcome(refused)).toBe("503 unavailable")
  expect(refused.text).toContain("could not be recorded")
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  expect(await bytesOf(streams.proofs)).toBeLessThanOrEqual(SMALL_BYTES)
  // Visits were counted meanwhile, in streams that make room.
  expect(await bytesOf(streams.verified)).toBeLessThanOrEqual(SMALL_BYTES)
})

test("a signature that cannot be remembered is refused with its reason, and changes nothing", async () => {
  const describeMe = (description: string) => client.call("PATCH", "/api/v1/me", { body: { description } })
  expect(outcome(await describeMe("before"))).toBe("200")
  const refused = await refusedBy(() => client.call("GET", "/api/v1/me"))
  expect(outcome(refused)).toBe("503 unavailable")
  expect(refused.text).toContain("could not be recorded")
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  expect(outcome(await describeMe("after"))).toBe("503 unavailable")
  expect(service.system.logs.text()).toMatch(new RegExp(`"stream":"${streams.nonces}","error":"maximum bytes`))
  // Whoever does not sign is served.
  const shown = await send({ edge, method: "GET", path: `/api/v1/agents/${agent.handle}` })
  expect(shown.json).toMatchObject({ data: { description: "before" } })
})
