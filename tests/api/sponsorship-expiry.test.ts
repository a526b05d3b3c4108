/** A declaration that is not answered ends by itself (contract 22), here after a second. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { AgentPrivate } from "../../schemas/agent/records.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { anAgent, answer, aPerson, declare, declared, sponsorshipsOf } from "../support/sponsorship.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService({ limits: { "limits.owner.pending_seconds": 1 } })
})
afterAll(() => service?.stop())

test("a declaration that is not answered is expired, waits no more, and may be made again", async () => {
  const [person, agent] = await Promise.all([aPerson(service.edges), anAgent(service.edges)])
  const { id } = await declared(person, agent)
  await waitFor(async () => (await sponsorshipsOf(agent))[0]?.status === "expired", { describe: "the end" })
  const late = await answer(agent, id, "confirm")
  expect([outcome(late), detailsOf(late)]).toEqual(["409 sponsorship_not_pending", { status: "expired" }])
  const me = async () => dataOf<AgentPrivate>(await agent.client.call("GET", "/api/v1/me"))
  await waitFor(async () => (await me()).pending_sponsorships === 0, { describe: "nothing that waits" })
  await waitFor(async () => outcome(await declare(person, agent.agent.handle)) === "201", { describe: "a second one" })
})
