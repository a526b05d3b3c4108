/**
 * What waits under a number: against a map as the model, at the wrap of the numbers, and what V8's collector makes of
 * it.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Slots } from "../../schemas/runtime/bus/slots.ts"

const run = promisify(execFile)

type Step = { readonly add: number } | { readonly take: number }

/** Takes name what waits by its place in the order of coming; most of them hit. */
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(fc.record({ add: fc.nat() }), fc.record({ take: fc.nat(300) })),
  { maxLength: 600, size: "max" }
)

const contents = <T>(slots: Slots<T>): Map<number, T> => {
  const all = new Map<number, T>()
  slots.forEach((entry, number) => all.set(number, entry))
  return all
}

describe("slots", () => {
  it("behave like a map whose keys are drawn", () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(1, 60, 0xffffffff - 40, 0xffffffff), (all, first) => {
        const slots = new Slots<number>(first)
        const model = new Map<number, number>()
        for (const step of all) {
          if ("add" in step) {
            const number = slots.add(step.add)
            expect(model.has(number)).toBe(false)
            expect(number >= 1 && number <= 0xffffffff && Number.isInteger(number)).toBe(true)
            model.set(number, step.add)
          } else {
            const number = [...model.keys()][step.take] ?? step.take
            expect(slots.get(number)).toBe(model.get(number))
            expect(slots.take(number)).toBe(model.get(number))
            model.delete(number)
          }
          expect(slots.size).toBe(model.size)
        }
        expect(contents(slots)).toEqual(model)
      })
    )
  })

  it("do not give a number out again while its neighbours come and go", () => {
    const slots = new Slots<string>()
    const stays = slots.add("stays")
    for (let count = 0; count < 10_000; count++) {
      const number = slots.add("goes")
      expect(number).not.toBe(stays)
      expect(slots.take(number)).toBe("goes")
    }
    expect(slots.get(stays)).toBe("stays")
    expect(slots.size).toBe(1)
  })

  it("know nothing under a number that was taken, or never given", () => {
    const slots = new Slots<string>()
    const number = slots.add("once")
    expect(slots.take(number)).toBe("once")
    for (const unknown of [number, 0, number + 64, 0xffffffff]) {
      expect(slots.get(unknown)).toBeUndefined()
      expect(slots.take(unknown)).toBeUndefined()
    }
  })

  it("may be changed by whoever visits them", () => {
    const slots = new Slots<string>()
    const [first, second] = [slots.add("first"), slots.add("second")]
    const visited: Array<string> = []
    slots.forEach((entry) => {
      visited.push(entry)
      slots.take(first)
      slots.take(second)
      slots.add("third")
    })
    expect(visited).toEqual(["first"])
    expect([...contents(slots).values()]).toEqual(["third"])
  })

  it("let what has left be collected young", async () => {
    const child = join(import.meta.dirname, "slots-churn.ts")
    const { stdout } = await run(process.execPath, ["--expose-gc", "--no-warnings", child])
    const { young, full } = JSON.parse(stdout) as { young: number; full: number }
    expect(young).toBeGreaterThan(20)
    // A map in their place: a full one for every three young ones.
    expect(full).toBeLessThanOrEqual(2)
  })
})
