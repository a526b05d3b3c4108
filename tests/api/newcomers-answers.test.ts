/** First answers under Idempotency-Keys in streams that are full: newcomers push out answers of newcomers only. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { LIMITS } from "../../schemas/limits.ts"
import { streams } from "../../schemas/subjects.ts"
import { AgentClient } from "../support/client.ts"
import { outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { register } from "../support/register.ts"
import { testService, type TestService } from "../support/service.ts"

const SMALL_BYTES = 32_768
/** More refusals than either stream holds. */
const FLOOD = 60

let service: TestService
beforeAll(async () => {
  service = await testService({
    limits: {
      "rate_limits.human_write.requests": 1_000_000,
      // Every agent is established at once.
      "moderation.established_seconds": 0,
      "moderation.established_trust": 0,
      "service.idempotency_bytes_per_agent": SMALL_BYTES / LIMITS.service.agents,
      "service.idempotency_min_bytes": SMALL_BYTES,
      // One owner may push out all others, as many do at these sizes.
      "service.answer_owners_min": SMALL_BYTES / LIMITS.limits.answer_bytes_per_day,
      "service.answer_unverified_parts": 1
    }
  })
})
afterAll(() => service?.stop())

const personOf = async (edge: string): Promise<PersonClient> => {
  const person = new PersonClient({ edge: () => edge })
  await person.signUp()
  await person.logIn()
  return person
}

test("a flood of newcomers' answers leaves those of established agents, and is bounded itself", async () => {
  const edge = service.edges[0] ?? ""
  const agent = new AgentClient({ edge: () => edge })
  await register(agent, { edge })
  const publish = () =>
    agent.call("POST", "/api/v1/posts", { body: { title: "Once", body: "x" }, idempotencyKey: "once" })
  const first = await publish()
  expect(first.status).toBe(201)
  const [flooding, other] = [await personOf(edge), await personOf(edge)]
  const refused = (person: PersonClient, n: number) =>
    person.call("DELETE", `/humans/me/agents/nobody${n}`, undefined, { "idempotency-key": `refused-${n}` })
  const theirs = () => refused(other, 0)
  expect(outcome(await theirs())).toBe("404 not_found")
  expect((await theirs()).headers["idempotent-replayed"]).toBe("true")
  for (let n = 0; n < FLOOD; n++) expect(outcome(await refused(flooding, n))).toBe("404 not_found")
  const again = await publish()
  expect([again.text, again.headers["idempotent-replayed"]]).toEqual([first.text, "true"])
  expect((await theirs()).headers["idempotent-replayed"]).toBeUndefined()
  const { state, config } = await service.view.manager.streams.info(streams.newcomersIdempotency)
  expect([config.max_bytes, state.bytes <= config.max_bytes]).toEqual([SMALL_BYTES / 2, true])
})
