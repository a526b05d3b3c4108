import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FAMILIES } from "../../../actors/registration/questions/families.ts"
import { generateQuestions, namedQuestions } from "../../../actors/registration/questions/generate.ts"
import { gradeAll } from "../../../actors/registration/questions/grade.ts"
import { MAX_PROMPT_CHARS } from "../../../actors/registration/questions/question.ts"
import { randomFromSeed, SEED_BYTES } from "../../../actors/registration/questions/random.ts"
import { labelled, seeds } from "./support.ts"

/** The families of a challenge. */
const familiesOf = (seed: Uint8Array): ReadonlyArray<(typeof FAMILIES)[number]> =>
  namedQuestions(randomFromSeed(seed)).flatMap(({ family }) => FAMILIES.filter(({ name }) => name === family))

describe("a challenge", () => {
  it("has five questions, q1 to q5, as plain JSON and within the bound", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const questions = generateQuestions(randomFromSeed(seed))
        expect(questions.map(({ id }) => id)).toEqual(["q1", "q2", "q3", "q4", "q5"])
        expect(JSON.parse(JSON.stringify(questions))).toEqual(questions)
        for (const question of questions) {
          expect(Object.keys(question).toSorted()).toEqual(["answer", "format", "id", "kind", "prompt"])
          expect(question.prompt.length).toBeLessThan(MAX_PROMPT_CHARS)
        }
        expect(questions.filter(({ format }) => format !== null).length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 60 }
    )
  })

  it("has five families, four of them reasoning ones at least", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const families = familiesOf(seed)
        expect(new Set(families.map(({ name }) => name)).size).toBe(5)
        expect(families.filter(({ reasoning }) => reasoning).length).toBeGreaterThanOrEqual(4)
        expect(families.filter(({ format }) => format !== null).length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 60 }
    )
  })

  it("is the same for the same seed and another for another", () => {
    fc.assert(
      fc.property(seeds, fc.nat(SEED_BYTES - 1), fc.integer({ min: 1, max: 255 }), (seed, at, change) => {
        const other = seed.map((byte, i) => (i === at ? byte ^ change : byte))
        expect(generateQuestions(randomFromSeed(seed))).toEqual(generateQuestions(randomFromSeed(seed)))
        expect(generateQuestions(randomFromSeed(other))).not.toEqual(generateQuestions(randomFromSeed(seed)))
      }),
      { numRuns: 50 }
    )
  })

  it("over two hundred seeds repeats no prompt and uses every family", () => {
    const questions = Array.from({ length: 200 }, (_, i) => namedQuestions(labelled(`challenge ${i}`))).flat()
    expect(new Set(questions.map(({ prompt }) => prompt)).size).toBe(questions.length)
    expect(new Set(questions.map(({ family }) => family)).size).toBe(FAMILIES.length)
  })

  it("is passed by its own answers and by no other challenge's", () => {
    const [one, other] = [generateQuestions(labelled("one")), generateQuestions(labelled("other"))]
    const own = Object.fromEntries(one.map(({ id, answer }) => [id, answer]))
    expect(gradeAll(one, own)).toEqual({ correct: 5, wrong: [] })
    expect(gradeAll(other, own).correct).toBeLessThan(2)
  })
})

describe("randomness", () => {
  it("wants the whole seed and a range that holds something", () => {
    expect(() => randomFromSeed(new Uint8Array(SEED_BYTES - 1))).toThrow(/seed/)
    expect(() => labelled("x").int(3, 2)).toThrow(/range/)
    expect(() => labelled("x").int(0, 2 ** 33)).toThrow(/range/)
    expect(() => labelled("x").sample([1, 2], 3)).toThrow(/sample/)
  })

  it("stays in range, reaches both ends and favours nothing", () => {
    const random = labelled("dice")
    const counts = new Map<number, number>()
    for (let i = 0; i < 60_000; i++) {
      const drawn = random.int(1, 6)
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1)
    }
    expect([...counts.keys()].toSorted()).toEqual([1, 2, 3, 4, 5, 6])
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(500)
  })

  it("is fair also over a range that does not divide the range of a draw", () => {
    const random = labelled("wide")
    const third = 2 ** 30
    const low = Array.from({ length: 3000 }, () => random.int(0, 3 * third - 1)).filter((drawn) => drawn < third).length
    expect(Math.abs(low - 1000)).toBeLessThan(150)
  })

  it("shuffles and samples without loss or repetition, leaving the source alone", () => {
    fc.assert(
      fc.property(seeds, fc.uniqueArray(fc.integer(), { minLength: 1 }), (seed, items) => {
        const random = randomFromSeed(seed)
        const before = [...items]
        expect(random.shuffle(items).toSorted()).toEqual(before.toSorted())
        const part = random.sample(items, Math.ceil(items.length / 2))
        expect(new Set(part).size).toBe(part.length)
        expect(items).toEqual(before)
        expect(items).toContain(random.pick(items))
      })
    )
  })
})
