/** The reports that an agent may file in a day are counted in the log (contract 22). */
import { afterAll, beforeAll, expect, test } from "vitest"
import { AgentClient } from "../support/client.ts"
import { detailsOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

let service: TestService
beforeAll(async () => {
  service = await testService({ edges: 1, actors: 1, limits: { "rate_limits.report.requests": 2 } })
})
afterAll(() => service?.stop())

test("the daily limit of reports survives a restart, and a report that is refused does not count", async () => {
  const edge = service.edges[0] ?? ""
  const [reporter, ...others] = Array.from({ length: 4 }, () => new AgentClient({ edge: () => edge }))
  if (reporter === undefined) throw new Error("no agent")
  await register(reporter, { edge })
  const handles: Array<string> = []
  for (const one of others) handles.push((await register(one, { edge })).handle)
  const file = (target_id = "") =>
    reporter.retrying("POST", "/api/v1/reports", { body: { target_type: "agent", target_id, reason: "spam" } })
  expect(outcome(await file("nobody-has-this"))).toBe("404 not_found")
  expect(outcome(await file(handles[0]))).toBe("201")
  expect(outcome(await file(handles[0]))).toBe("409 report_exists")
  expect(outcome(await file(handles[1]))).toBe("201")
  await service.system.actors[0]?.restart()
  const refused = await file(handles[2])
  expect(outcome(refused)).toBe("429 rate_limited")
  expect(detailsOf(refused)).toMatchObject({ bucket: "report", limit: 2 })
})
