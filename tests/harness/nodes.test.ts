/** Tests systems in the test's own process: their servers are real, and they share nothing with each other. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Effect } from "effect"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Log, logNow } from "../../schemas/runtime/log/log.ts"
import { scrape } from "../support/exposition.ts"
import { send } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { connectTo, openTenant } from "./index.ts"

const FEW = 3

describe("two systems of one process", () => {
  let small: TestService
  let wide: TestService
  beforeAll(async () => {
    ;[small, wide] = await Promise.all([
      testService({ metrics: true, limits: { "rate_limits.anon.requests": FEW } }),
      testService({ metrics: true })
    ])
  })
  afterAll(() => Promise.all([small?.stop(), wide?.stop()]))

  const read = ({ edges }: TestService) => send({ edge: edges[0] ?? "", method: "GET", path: "/api/v1/categories" })

  test("have limits of their own", async () => {
    const answers: Array<string> = []
    for (let count = 0; count <= FEW; count++) {
      answers.push(outcome(await read(small)))
      expect(outcome(await read(wide))).toBe("200")
    }
    // The start's own health checks use the limit too, and a slow start makes more than one.
    const granted = answers.filter((answer) => answer === "200").length
    expect(granted).toBeLessThanOrEqual(FEW)
    expect(answers.slice(granted)).toEqual(answers.slice(granted).map(() => "429 rate_limited"))
    expect(answers.at(-1)).toBe("429 rate_limited")
  })

  test("log each request once, in their own log", async () => {
    const id = String((await read(wide)).headers["x-request-id"])
    await small.system.edges[0]?.stop()
    await wide.system.edges[0]?.stop()
    const linesOf = ({ system }: TestService) => system.logs.lines("edge 1").filter((line) => line.includes(id))
    expect([id.length > 10, linesOf(wide).length, linesOf(small).length]).toEqual([true, 1, 0])
    await small.system.edges[0]?.restart()
    await wide.system.edges[0]?.restart()
  })

  test("answer again at the same address after a node's restart", async () => {
    await wide.system.actors[0]?.restart()
    await wide.system.edges[0]?.restart()
    expect(outcome(await read(wide))).toBe("200")
  })

  test("count for themselves", async () => {
    const counted = async ({ system }: TestService) =>
      (await scrape(system.edges[0]?.metrics ?? "")).sum("hub_edge_request_duration_seconds_count")
    const before = await Promise.all([counted(small), counted(wide)])
    for (let count = 0; count < 2; count++) await read(wide)
    expect([await counted(small), await counted(wide)]).toEqual([before[0], (before[1] ?? 0) + 2])
  })

  test("have nodes that cannot be killed, and say so", () => {
    expect(() => wide.system.actors[0]?.kill()).toThrow("start the system with processes: true")
    expect(() => wide.system.nats.kill()).toThrow("start this one with ownServers: true")
  })
})

test("a wrong configuration is the error of the start, and leaves nothing open", async () => {
  await expect(testService({ env: { HUB_NAME: "two\nlines" } })).rejects.toThrow("HUB_NAME must be one line")
})

test("tenants do not hear each other, and an account is empty when it is given again", async () => {
  const [one, other] = await Promise.all([openTenant({ tables: false }), openTenant({ tables: false })])
  const [here, there] = await Promise.all([connectTo(one.operatorUrl), connectTo(other.operatorUrl)])
  const heard: Array<string> = []
  there.subscribe(">", { callback: (_error, message) => void heard.push(message.string()) })
  await there.flush()
  here.publish("hub.secret", "of the first")
  await here.flush()
  there.publish("hub.own", "of the second")
  await there.flush()
  expect(heard).toEqual(["of the second"])
  await Promise.all([here.close(), there.close()])
  await Promise.all([one.release(), other.release()])
})

test("a log takes what happens in its asynchronous context, by callbacks and by Effects", async () => {
  const written: Record<string, Array<string>> = { first: [], second: [] }
  const logs = ["first", "second"].map(
    (name) =>
      new Log(
        { writableLength: 0, write: (line: string) => written[name]?.push(line), on: () => undefined },
        machineClock
      )
  )
  await Promise.all(
    logs.map((log, index) =>
      log.run(async () => {
        await new Promise((resolve) => setImmediate(resolve))
        logNow("warn", "callback", { index })
        await Effect.runPromise(Effect.provide(Effect.logWarning(`effect ${index}`), log.logging))
      })
    )
  )
  expect(written["first"]?.map((line) => (JSON.parse(line) as { at: string }).at)).toEqual(["callback", "process"])
  expect(written["second"]?.join("")).toMatch(/"index":1[^]*effect 1/)
  expect(written["second"]?.join("")).not.toMatch(/"index":0|effect 0/)
})
