/** Slow parts of the first page: asked for once in a while, whoever comes, and missing where they cannot be had. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import type { Bus } from "../../edge/bus/bus.ts"
import { beginningParts, PARTS_KEPT_MS } from "../../edge/meta/beginning-parts.ts"
import { refuse } from "../../edge/http/refused.ts"
import { unavailable } from "../../schemas/errors.ts"
import { standingClock } from "../harness/clock.ts"

const VIEWS = ["agents", "categories", "categories_latest", "overview", "threads_discussed"]

/** Answers each view with its own name; those that are away are refused. */
class Answering {
  readonly asked: Array<string> = []
  readonly away = new Set<string>()
  readonly broken = new Set<string>()
  readonly query = ((_within: unknown, view: string) => {
    this.asked.push(view)
    if (this.broken.has(view)) return Effect.die(new Error("It is broken."))
    if (this.away.has(view)) return Effect.fail(refuse(unavailable("It is away.")))
    return Effect.succeed(view === "agents" ? { total: 1, items: [view] } : [view])
  }) as unknown as Bus["query"]
}

it("asks once for all who come within a while", async () => {
  const [bus, clock] = [new Answering(), standingClock()]
  const parts = beginningParts(clock, bus)
  const current = () => Effect.runPromise(parts)
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, current))
  expect(bus.asked.toSorted()).toEqual(VIEWS)
  expect(others.every((one) => one === first)).toBe(true)
  expect(first).toEqual({
    overview: ["overview"],
    discussed: ["threads_discussed"],
    agents: ["agents"],
    categories: ["categories"],
    latest: ["categories_latest"]
  })
  clock.move(PARTS_KEPT_MS - 1)
  expect(await current()).toBe(first)
  clock.move(1)
  expect(await current()).toEqual(first)
  expect(bus.asked).toHaveLength(2 * VIEWS.length)
})

it("goes without a part that is away, and asks for it again no sooner", async () => {
  const [bus, clock] = [new Answering(), standingClock()]
  const parts = beginningParts(clock, bus)
  const current = () => Effect.runPromise(parts)
  bus.away.add("overview")
  expect(await current()).toMatchObject({ overview: null, agents: ["agents"] })
  bus.away.clear()
  expect(await current()).toMatchObject({ overview: null })
  expect(bus.asked).toHaveLength(VIEWS.length)
  clock.move(PARTS_KEPT_MS)
  expect(await current()).toMatchObject({ overview: ["overview"] })
})

it("keeps no defect: who comes next asks again", async () => {
  const [bus, clock] = [new Answering(), standingClock()]
  const parts = beginningParts(clock, bus)
  const current = () => Effect.runPromise(parts)
  bus.broken.add("agents")
  await expect(current()).rejects.toThrow("It is broken.")
  bus.broken.clear()
  expect(await current()).toMatchObject({ agents: ["agents"] })
})
