import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { Turns } from "../../edge/http/turns.ts"

/** Runs `steps` steps of a client, and notes each with the number of the event loop's turn. */
const working = (turns: Turns, client: string, steps: number, noted: Array<string>): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let n = 0; n < steps; n++) {
      yield* turns.next(client)
      noted.push(client)
    }
  })

describe("turns", () => {
  it("go from client to client, however many bodies one of them has", async () => {
    const turns = new Turns()
    const noted: Array<string> = []
    const many = Array.from({ length: 10 }, () => working(turns, "many", 3, noted))
    await Effect.runPromise(Effect.all([...many, working(turns, "one", 3, noted)], { concurrency: "unbounded" }))
    expect(noted.filter((name) => name === "many").length).toBe(30)
    expect(noted.lastIndexOf("one")).toBeLessThanOrEqual(6)
  })

  it("run one step in each turn of the event loop", async () => {
    const turns = new Turns()
    const noted: Array<string> = []
    const perTurn: Array<number> = []
    let under = true
    let before = 0
    const look = (): void => {
      perTurn.push(noted.length - before)
      before = noted.length
      if (under) setImmediate(look)
    }
    setImmediate(look)
    const clients = Array.from({ length: 8 }, (_, n) => working(turns, `client ${n}`, 5, noted))
    await Effect.runPromise(Effect.all(clients, { concurrency: "unbounded" }))
    under = false
    expect(noted.length).toBe(40)
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(1)
  })

  it("are given up by a request whose client has gone", async () => {
    const turns = new Turns()
    const noted: Array<string> = []
    const gone = Effect.runFork(working(turns, "gone", 1000, noted))
    await Effect.runPromise(Fiber.interrupt(gone))
    await Effect.runPromise(working(turns, "other", 2, noted))
    expect(noted.filter((name) => name === "other")).toEqual(["other", "other"])
    expect(noted.length).toBeLessThan(10)
  })
})
