/** Whose turn it is: fairness and bounds, by example and whatever happens. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { FairQueue, type Turn } from "../../actors/fanout/fair.ts"
import { LIMITS } from "../../schemas/limits.ts"

const BOUNDS = {
  ...LIMITS.webhook,
  in_flight_max: 12,
  receiver_in_flight_max: 6,
  agent_in_flight_max: 3,
  agent_held_max: 12,
  unknown_queue_max: 20,
  slow_in_flight_max: 2,
  slow_queue_max: 2,
  probation_in_flight_max: 5,
  probation_held_max: 30,
  slow_ms: 100
}

const all = (queue: FairQueue<string>): ReadonlyArray<Turn<string>> => {
  const turns: Array<Turn<string>> = []
  for (let turn = queue.take(); turn !== null; turn = queue.take()) turns.push(turn)
  return turns
}
const fast = (queue: FairQueue<string>, receiver: string): void => {
  queue.add(receiver, `${receiver}-first`, "first")
  for (const turn of all(queue)) turn.done(1)
}

describe("turns", () => {
  test("receivers take them one after the other, whatever waits for each", () => {
    const queue = new FairQueue<string>(BOUNDS)
    for (const receiver of ["a", "b", "c"]) fast(queue, receiver)
    for (let count = 0; count < 10; count++) queue.add("a", `agent${count}`, `a${count}`)
    queue.add("b", "x", "b0")
    queue.add("c", "y", "c0")
    expect(
      all(queue)
        .map(({ item }) => item)
        .slice(0, 4)
    ).toEqual(["a0", "b0", "c0", "a1"])
  })

  test("agents of one receiver too, each with a bound of its own", () => {
    const queue = new FairQueue<string>(BOUNDS)
    fast(queue, "a")
    for (let count = 0; count < 8; count++) queue.add("a", "greedy", `g${count}`)
    queue.add("a", "modest", "m0")
    expect(all(queue).map(({ item }) => item)).toEqual(["g0", "m0", "g1", "g2"])
  })

  test("a dead receiver keeps two slots, and what waits beyond a few is handed back when it turns slow", () => {
    const queue = new FairQueue<string>(BOUNDS)
    for (let count = 0; count < 10; count++) expect(queue.add("dead", `agent${count}`, `d${count}`)).toBe("accepted")
    const turns = all(queue)
    expect(turns.map(({ item }) => item)).toEqual(["d0", "d1"])
    const back = turns[0]?.done(15_000) ?? []
    expect(back).toHaveLength(6)
    expect(queue.held).toBe(3)
    expect(all(queue)).toHaveLength(1)
    expect([queue.add("dead", "x", "one"), queue.add("dead", "y", "two")]).toEqual(["accepted", "slow"])
  })

  test("one that is quick again is treated as such", () => {
    const queue = new FairQueue<string>(BOUNDS)
    queue.add("a", "x", "0")
    queue.take()?.done(5000)
    queue.add("a", "x", "1")
    queue.take()?.done(5)
    for (let count = 0; count < 9; count++) queue.add("a", `agent${count}`, String(count))
    expect(all(queue)).toHaveLength(BOUNDS.receiver_in_flight_max)
  })

  test("however many are slow or unknown, the fast ones keep their part", () => {
    const queue = new FairQueue<string>(BOUNDS)
    fast(queue, "well")
    for (let receiver = 0; receiver < 20; receiver++) queue.add(`dead${receiver}`, "x", `d${receiver}`)
    const hung = all(queue)
    expect(hung).toHaveLength(BOUNDS.probation_in_flight_max)
    queue.add("well", "y", "w0")
    expect(all(queue).map(({ item }) => item)).toEqual(["w0"])
  })

  test("one that is silent is slow once its time is over, not at the end of its attempt", () => {
    const queue = new FairQueue<string>(BOUNDS)
    fast(queue, "a")
    for (let count = 0; count < 12; count++) queue.add("a", `agent${count}`, `a${count}`)
    const [turn, next] = all(queue)
    expect(turn?.late()).toHaveLength(12 - BOUNDS.receiver_in_flight_max - BOUNDS.slow_queue_max)
    expect(queue.add("a", "x", "x")).toBe("slow")
    // Another attempt that is answered at once shows that it is well; the late one's end says nothing new.
    expect([next?.done(1), turn?.done(15_000)]).toEqual([[], []])
    expect(queue.add("a", "x", "x")).toBe("accepted")
  })

  test("one agent holds no more than its part, over all receivers", () => {
    const queue = new FairQueue<string>(BOUNDS)
    for (const receiver of ["a", "b", "c"]) fast(queue, receiver)
    const answers = Array.from({ length: 15 }, (_, count) => queue.add("abc"[count % 3] ?? "", "greedy", "g"))
    expect([answers.indexOf("busy"), queue.add("a", "modest", "m")]).toEqual([BOUNDS.agent_held_max, "accepted"])
    for (let round = 0; round < 15; round++) for (const turn of all(queue)) turn.done(1)
    expect([queue.held, queue.add("a", "greedy", "g")]).toEqual([0, "accepted"])
  })

  test("those who never answer leave room for others to be met", () => {
    const queue = new FairQueue<string>(BOUNDS)
    for (let receiver = 0; receiver < 10; receiver++)
      for (let count = 0; count < 10; count++) queue.add(`silent${receiver}`, `agent${receiver}`, "s")
    expect([queue.add("silent0", "x", "s"), queue.add("new", "y", "n")]).toEqual(["full", "accepted"])
  })

  test("a receiver that is well and has much to do is told busy, not slow", () => {
    const queue = new FairQueue<string>({ ...BOUNDS, receiver_queue_ms: 1000 })
    queue.add("a", "first", "first")
    // Six at once, each in 60 ms: a hundred in a second.
    queue.take()?.done(60)
    const answers = Array.from({ length: 110 }, (_, count) => queue.add("a", `agent${count}`, "x"))
    expect([answers.indexOf("busy"), answers.at(-1)]).toEqual([100, "busy"])
  })

  test("cleared, it gives back all that waits and nothing that is under way", () => {
    const queue = new FairQueue<string>(BOUNDS)
    for (let count = 0; count < 5; count++) queue.add(`r${count % 2}`, "x", `i${count}`)
    const under = all(queue)
    expect([...queue.clear(), ...under.map(({ item }) => item)].toSorted()).toEqual(["i0", "i1", "i2", "i3", "i4"])
    expect(queue.take()).toBeNull()
    expect(queue.held).toBe(under.length)
  })
})

describe("the silent beside the fast", () => {
  const REAL = LIMITS.webhook

  test("their part never stops the worker from fetching", () => {
    expect(REAL.probation_held_max).toBeLessThan((REAL.held_max - REAL.fetch_room_min) / 2)
    expect(REAL.probation_in_flight_max).toBeLessThan(REAL.in_flight_max / 2)
    expect(REAL.agent_held_max).toBeLessThan(REAL.held_max / 16)
  })

  test("whatever comes for whatever number of them: a fast receiver's delivery is taken at once, and there is room to fetch", () => {
    /** For which silent receiver, by which agent; or that the time of one under way is over. */
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ to: fc.nat({ max: 400 }), by: fc.nat({ max: 400 }), times: fc.nat(40) }) },
      { weight: 1, arbitrary: fc.record({ late: fc.nat() }) }
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new FairQueue<string>(REAL)
        fast(queue, "well")
        const silent: Array<Turn<string>> = []
        for (const taken of steps) {
          if ("to" in taken)
            for (let count = 0; count <= taken.times; count++) queue.add(`silent${taken.to}`, `agent${taken.by}`, "s")
          else if (silent.length > 0) silent[taken.late % silent.length]?.late()
          silent.push(...all(queue))
          expect(REAL.held_max - queue.held).toBeGreaterThanOrEqual(REAL.fetch_room_min)
          expect(queue.add("well", "victim", "w")).toBe("accepted")
          const turn = queue.take()
          expect(turn?.item).toBe("w")
          turn?.done(1)
        }
      })
    )
  })
})

type Step =
  | { readonly add: readonly [number, number] }
  | { readonly end: readonly [number, number | null] }
  | { readonly late: number }

const agentOf = (item: string): string => `a${item.split("/")[1]}`

test("whatever happens: every bound is kept, nothing is lost, nothing is given twice, and nothing that has room waits", () => {
  const step = fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ add: fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 3 })) }),
    fc.record({ end: fc.tuple(fc.nat(), fc.constantFrom(1, 50, 150, 9000, null)) }),
    fc.record({ late: fc.nat() })
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const queue = new FairQueue<string>(BOUNDS)
      const waiting = new Set<string>()
      const active: Array<Turn<string>> = []
      const pull = (): void => {
        for (const turn of all(queue)) {
          expect(waiting.delete(turn.item)).toBe(true)
          active.push(turn)
        }
      }
      steps.forEach((taken, number) => {
        if ("add" in taken) {
          const item = `${taken.add[0]}/${taken.add[1]}/${number}`
          if (queue.add(`r${taken.add[0]}`, agentOf(item), item) === "accepted") waiting.add(item)
        } else if ("late" in taken) {
          for (const back of active[taken.late % active.length]?.late() ?? []) expect(waiting.delete(back)).toBe(true)
        } else if (active.length > 0) {
          const [turn] = active.splice(taken.end[0] % active.length, 1)
          for (const back of turn?.done(taken.end[1]) ?? []) expect(waiting.delete(back)).toBe(true)
        }
        pull()
        expect(queue.held).toBe(waiting.size + active.length)
        expect(active.length).toBeLessThanOrEqual(BOUNDS.in_flight_max)
        for (const group of Map.groupBy(active, ({ item }) => item.split("/").slice(0, 2).join("/")).values())
          expect(group.length).toBeLessThanOrEqual(BOUNDS.agent_in_flight_max)
        for (const group of Map.groupBy([...waiting, ...active.map(({ item }) => item)], agentOf).values())
          expect(group.length).toBeLessThanOrEqual(BOUNDS.agent_held_max)
        for (const group of Map.groupBy(active, ({ item }) => item.split("/")[0]).values())
          expect(group.length).toBeLessThanOrEqual(BOUNDS.receiver_in_flight_max)
      })
      // All of it ends: what waits comes to its turn.
      for (let turn = active.shift(); turn !== undefined; turn = active.shift()) {
        turn.done(1)
        pull()
      }
      expect([waiting.size, queue.held]).toEqual([0, 0])
    })
  )
})
