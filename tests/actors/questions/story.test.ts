/** What holds for every family: one answer, found by reading in a second way; nothing idle; guessing does not pay. */
import { describe, expect, it } from "vitest"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { FAMILIES, registry } from "../../../actors/registration/questions/families.ts"
import { MAX_PROMPT_CHARS, MAX_STORY_CHARS, MIN_STORY_CHARS } from "../../../actors/registration/questions/question.ts"
import { LANGUAGES, PHRASES } from "../../../actors/registration/questions/language/foreign.ts"
import { readMoves } from "./meaning.ts"
import { draftsOf, mentions, mostFrequent } from "./support.ts"

const DRAFTS = 60
const MOST_FREQUENT_ANSWER = 0.25
const GUESSED = 0.3
const STUDIED = FAMILIES.map((family) => ({ name: family.name, family, drafts: draftsOf(family, DRAFTS) }))

describe("the registry", () => {
  it("has at least 24 families, and 12 that reason, under names of their own", () => {
    expect(FAMILIES.length).toBeGreaterThanOrEqual(24)
    expect(FAMILIES.filter(({ reasoning }) => reasoning).length).toBeGreaterThanOrEqual(12)
    expect(() => registry([...FAMILIES, FAMILIES[0] as (typeof FAMILIES)[number]])).toThrow(/the name is taken/)
  })
})

describe.each(STUDIED)("$name", ({ family, drafts }) => {
  it("has the answer that its utterances give when they are read in order", () => {
    for (const { world, plan, prompt } of drafts)
      expect([prompt, world.answer(readMoves(OUR_BANK, plan.blocks))]).toEqual([prompt, plan.answer])
  })

  it("tells nothing idle: five sentences and more each change the answer by themselves", () => {
    for (const { world, plan } of drafts) {
      expect(plan.telling).toBeGreaterThanOrEqual(world.minTelling)
      expect(world.minTelling).toBeGreaterThanOrEqual(4)
    }
    // Missing any one remark that turns a sentence into its opposite is told by the answer, too.
    const turned = drafts.filter(({ world, plan }) => {
      const blind = plan.blocks.map((block) =>
        block.filter(
          ({ type }) =>
            type !== "cancel" && type !== "amend" && type !== "repeat" && type !== "distrust" && type !== "between"
        )
      )
      return world.answer(readMoves(OUR_BANK, blind)) !== plan.answer
    })
    expect(turned.length / drafts.length).toBeGreaterThan(0.75)
  })

  it("keeps to its length and says what shape of answer is wanted", () => {
    for (const { prompt, answer } of drafts) {
      expect(prompt.length).toBeGreaterThanOrEqual(MIN_STORY_CHARS)
      expect(prompt.length).toBeLessThanOrEqual(MAX_STORY_CHARS)
      expect(prompt.length).toBeLessThan(MAX_PROMPT_CHARS)
      expect(answer).not.toBe("")
      expect(prompt).not.toMatch(/[{}|]|\bundefined\b|\bnull\b|\bNaN\b/)
    }
    expect(new Set(drafts.map(({ prompt }) => prompt)).size).toBe(drafts.length)
    expect(family.format === null || !family.reasoning).toBe(true)
  })

  it("cannot be guessed by what is said most, first, last or at all", () => {
    const answers = drafts.map(({ plan }) => plan.answer)
    const [first] = drafts
    expect(mostFrequent(answers) / DRAFTS).toBeLessThan(MOST_FREQUENT_ANSWER)
    if (first?.world.candidates != null) {
      for (const { world, plan } of drafts) {
        expect(new Set(world.candidates).size).toBeGreaterThanOrEqual(8)
        expect(world.candidates).toContain(plan.answer)
      }
    }
    const seen = drafts.map(({ story, world, plan }) => {
      const named = world.candidates === null ? (story.match(/\b\d+\b/g) ?? []) : mentions(story, world.candidates)
      const byCount = [...new Set(named)].toSorted(
        (one, other) => named.filter((name) => name === other).length - named.filter((name) => name === one).length
      )
      return [named[0], named.at(-1), byCount[0], byCount.at(-1)].map((guessed) => guessed === plan.answer)
    })
    for (let rule = 0; rule < 4; rule++)
      expect(seen.filter((guesses) => guesses[rule] === true).length / DRAFTS).toBeLessThan(GUESSED)
  })
})

describe("the telling", () => {
  const stories = STUDIED.flatMap(({ drafts }) => drafts)

  it("uses every language, and every kind of utterance", () => {
    const used = LANGUAGES.filter((language) =>
      stories.some(({ story }) =>
        PHRASES[language].notSo.some((phrase) =>
          story.toLowerCase().includes(phrase.split("{c}").toSorted((a, b) => b.length - a.length)[0] ?? "?")
        )
      )
    )
    expect(used).toEqual([...LANGUAGES])
    const types = new Set(stories.flatMap(({ plan }) => plan.blocks.flat().map(({ type }) => type)))
    expect([...types].toSorted()).toEqual([
      "amend",
      "between",
      "cancel",
      "contrast",
      "distrust",
      "likewise",
      "pronoun",
      "repeat",
      "restate",
      "select",
      "sign",
      "tell"
    ])
  })

  it("asks about somebody by what is known, not by name", () => {
    for (const { world, cast, plan } of stories) {
      const question = world.question({
        random: {
          int: () => 0,
          pick: <T>(items: ReadonlyArray<T>) => items[0] as T,
          shuffle: (items) => [...items],
          sample: (items) => [...items]
        },
        cast,
        person: (index) => `#${index}#`,
        count: String
      })
      expect(question).toContain("#0#")
      expect(cast.people[0]?.mark?.relation).toBe(cast.people[plan.liar]?.mark?.relation)
      expect(cast.people[0]?.mark?.value).not.toBe(cast.people[plan.liar]?.mark?.value)
    }
  })
})
