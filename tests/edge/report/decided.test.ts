/** The answer to a decision is what became of the report, even if the outcome was refused right after the decision. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { openWorld, type World } from "../edge.ts"

const DECIDED = { status: "resolved", outcome: "banned", note: null, resolved_at: "2026-01-01T00:00:01.000Z" }
const RETURNED = { status: "reviewing", outcome: null, note: "This account was deleted.", resolved_at: null }

let world: World
/** The answers of the report's actor and of the read model, one after the other. The last ones are repeated. */
let standings: Array<{ readonly status: string; readonly pending: boolean }> = []
let records: Array<object> = []

const next = <A>(list: Array<A>): A | undefined => (list.length > 1 ? list.shift() : list[0])

beforeAll(async () => {
  world = await openWorld()
  const { node } = world
  node.on("content.admit", ({ actor }) => ({ data: { agent: actor, operator: true, handle: "h" } }))
  node.on("report.resolve", () => ({ data: null }))
  node.on("report.standing", () => ({ data: next(standings) }))
  node.onQuery("report", () => ({ ok: true, data: { id: 7, ...next(records) } }))
})
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

const resolve = () =>
  world.edge.call("/api/v1/reports/7/resolve", {
    method: "POST",
    body: JSON.stringify({ outcome: "banned" }),
    headers: { "content-type": "application/json" },
    signed: world.agent
  })

const decided = { status: "resolved", pending: false }
const pending = { status: "resolved", pending: true }
const returned = { status: "reviewing", pending: false }

it.each([
  ["in force", [decided], [DECIDED], DECIDED],
  ["in force, which the read model shows later", [decided], [RETURNED, DECIDED], DECIDED],
  ["refused", [returned], [RETURNED], RETURNED],
  ["refused, which the read model shows later", [returned], [DECIDED, DECIDED, RETURNED], RETURNED],
  ["refused after a while", [pending, pending, returned], [DECIDED, RETURNED], RETURNED],
  ["refused after the first look at it", [decided, decided, returned], [RETURNED], RETURNED],
  ["pending for too long", [pending], [DECIDED], DECIDED]
])("%s", async (_outcome, actor, readModel, expected) => {
  ;[standings, records] = [[...actor], [...readModel]]
  const { status, json } = await resolve()
  expect([status, json.data]).toEqual([200, { id: 7, ...expected }])
  expect(world.node.asked("report.resolve")).toHaveLength(1)
})

it("that the read model does not show in time is said to be safe to send again", async () => {
  ;[standings, records] = [[returned], [DECIDED]]
  const { status, json } = await resolve()
  expect([status, json.error.code]).toEqual([503, "unavailable"])
})
