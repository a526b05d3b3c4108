/** Operators see the cause of a late archive everywhere, and only while it is late. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { heldBy } from "../../actors/process/archiving.ts"
import { type Aside, putAside, takeBack } from "../../actors/reactions/aside.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { scrape } from "../support/exposition.ts"
import { hub, hubEnded, operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { logOf, testService, type TestService } from "../support/service.ts"

let service: TestService
let operator: AgentClient
let id = ""

beforeAll(async () => {
  service = await testService({
    metrics: true,
    limits: {
      "service.archive_after_days": 0,
      "service.archive_partial_seconds": 0,
      "service.archive_every_seconds": 1,
      "service.archive_late_seconds": 3
    }
  })
  const edge = service.edges[0] ?? ""
  operator = new AgentClient({ edge: () => edge })
  const agent = await register(operator, { edge })
  id = agent.id
  await operate(service.system, ["agent", "grant", agent.handle, "operator"])
})
afterAll(() => service?.stop())

interface Seen {
  readonly checks: Readonly<Record<string, { readonly status: string; readonly message: string | null }>>
}

const check = async () => dataOf<Seen>(await operator.call("GET", `${API_PREFIX}/health`)).checks["archive"]
const late = async () => (await scrape(service.system.actors[0]?.metrics ?? "")).value("hub_archive_late_seconds")

test("a reaction that was put aside holds it back, and is named until it is cleared", async () => {
  const { view, system } = service
  await waitFor(async () => (await check())?.status === "pass", { describe: "an archive that is not late" })
  await operator.call("PATCH", `${API_PREFIX}/me`, { body: { description: "Held." } })
  const { seq = 0 } = (await logOf(view, "agent", id)).at(-1) ?? {}
  const fault: Aside = { seq, kind: "agent", id, error: "SyntaxError" }
  await putAside(view.nats, "agent", "fault", fault)
  const cause = `a reaction of agent to #${seq} failed: hub reactions list agent`
  await waitFor(async () => (await heldBy(view)).cause === cause, { describe: "readers that have done the rest" })
  expect((await heldBy(view)).seq).toBe(seq - 1)
  await waitFor(async () => (await check())?.status === "warn", { describe: "an archive that is late" })
  expect((await check())?.message).toBe(`the log is not archived: ${cause}`)
  const status = await hubEnded(system, ["status"])
  expect([status.status, status.stdout]).toEqual([1, expect.stringContaining(cause)])
  expect(await hub(system, ["archive"])).toContain(`nothing behind #${seq - 1} may move: ${cause}`)
  // A node may archive just then, and the command asks to try again later.
  const archived = async () => (await hubEnded(system, ["archive", "--now", "--days", "0"])).stdout.includes(cause)
  await waitFor(archived, { describe: "the cause from an operator's archiving" })
  await waitFor(async () => (await late()) > 3, { describe: "the metric" })
  await waitFor(() => system.logs.text().includes(cause), { describe: "a line in the log" })
  await takeBack(view.nats, "agent", "fault", fault)
  await waitFor(async () => (await check())?.status === "pass" && (await late()) <= 3, {
    describe: "the rest archived"
  })
})
