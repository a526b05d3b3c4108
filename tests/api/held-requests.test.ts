/** Requests that are held for an owner are under way for as long as they are, with the product's deadline (contract 13). */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { OwnerMessage } from "../../schemas/owner/records.ts"
import { movableClock, waitFor } from "../harness/index.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { newOwner, ownedBy, writtenBy } from "../support/owner.ts"
import { PRODUCT_DEADLINE, testService, type TestService } from "../support/service.ts"

const HELD_SECONDS = 24
const DEADLINE_MS = PRODUCT_DEADLINE["service.request_deadline_ms"]

const clock = movableClock()
let service: TestService
beforeAll(async () => {
  const limits = { ...PRODUCT_DEADLINE, "limits.owner.held_seconds": HELD_SECONDS }
  service = await testService({ clock, edges: 2, actors: 1, limits })
})
afterAll(() => service?.stop())

it("one that comes again meanwhile finds it under way, and afterwards has its answer", async () => {
  const owner = await newOwner(service.edges)
  const { agent } = await ownedBy(service.edges, owner)
  const sent = { body: { text: "May I?", kind: "question", wait_seconds: 25 }, idempotencyKey: "held" }
  const ask = () => agent.client.call("POST", "/api/v1/me/owner/message", sent)
  const held = ask()
  const id = await writtenBy(owner, agent, "May I?")
  clock.move(DEADLINE_MS + 500)
  expect(outcome(await ask())).toBe("409 idempotency_in_flight")
  await owner.answer(agent, id, "You may.")
  const first = await held
  expect(dataOf<OwnerMessage>(first)).toMatchObject({ id, waited: true, answer: { text: "You may." } })
  const again = await ask()
  expect([again.headers["idempotent-replayed"], dataOf<OwnerMessage>(again).id]).toEqual(["true", id])
  expect(dataOf<OwnerMessage>(again).waited).toBe(true)
  // Handed over, it is read: its owner sees that.
  await waitFor(async () => {
    const { text } = await owner.client.get(`/owner/agents/${agent.agent.handle}`)
    return text.includes("You may.") && !text.includes("not read yet")
  })
})
