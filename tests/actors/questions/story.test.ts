/** What holds for every family: one answer, found by reading in a second way; nothing idle; guessing does not pay. */
import { describe, expect, it } from "vitest"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { FAMILIES, registry } from "../../../actors/registration/questions/families.ts"
import { MAX_PROMPT_CHARS, MAX_STORY_CHARS, MIN_STORY_CHARS } from "../../../actors/registration/questions/question.ts"
import { LANGUAGES, PHRASES } from "../../../actors/registration/questions/language/foreign.ts"
import { readMoves } from "./meaning.ts"
import { MIN_TELLING, type Utterance } from "../../../actors/registration/questions/story/plan.ts"
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

  it("tells nothing idle: four sentences and more each change the answer by themselves", () => {
    for (const { plan } of drafts) {
      expect(plan.telling).toBeGreaterThanOrEqual(MIN_TELLING)
    }
    // Missing any one remark that turns a sentence into its opposite is told by the answer, too.
    const turned = drafts.filter(({ world, plan }) => {
      const blind = plan.blocks.map((block) =>
        block.filter(
          ({ type }) =>
            type !== "cancel" && type !== "amend" && type !== "repeat" && type !== "recant" && type !== "between"
        )
      )
      return world.answer(readMoves(OUR_BANK, blind)) !== plan.answer
    })
    expect(turned.length / drafts.length).toBeGreaterThan(0.5)
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
      "aside",
      "between",
      "cancel",
      "contrast",
      "keep",
      "likewise",
      "pronoun",
      "recant",
      "repeat",
      "restate",
      "select",
      "sign",
      "tell",
      "trust"
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
        count: String,
        worded: (_, ours, slots) =>
          (ours[0] ?? "").replace(/\{(\w)\}/g, (__, slot: string) => (slots[slot] ?? slots["p"])?.() ?? ""),
        isWorded: () => false
      })
      expect(question).toContain("#0#")
      const marks = cast.people.flatMap(({ mark }) => (mark === null ? [] : [mark]))
      expect(marks.length).toBeGreaterThanOrEqual(2)
      expect(new Set(marks.map(({ relation }) => relation)).size).toBe(1)
      expect(new Set(marks.map(({ value }) => value)).size).toBe(marks.length)
      for (const one of plan.blocks.flat()) if (one.type === "trust") expect(world.asked).not.toContain(one.who)
    }
  })

  it("fixes no number: of liars, of the honest, of what did not happen, of what is enclosed", () => {
    const counts = (of: (one: Utterance) => boolean): ReadonlySet<number> =>
      new Set(stories.map(({ plan }) => plan.blocks.flat().filter(of).length))
    expect([...counts((one) => one.type === "trust" && one.lies)].toSorted()).toEqual([0, 1, 2])
    expect([...counts((one) => one.type === "trust" && !one.lies)].toSorted()).toEqual([0, 1, 2])
    for (const few of [0, 1, 2]) expect(counts((one) => one.type === "tell" && one.mood === "not so")).toContain(few)
    expect(counts((one) => one.type === "between" && one.counts)).toEqual(new Set([0, 1]))
    const enclosed = stories.flatMap(({ plan }) => plan.blocks.flat().filter((one) => one.type === "between"))
    const share = enclosed.filter((one) => one.type === "between" && one.counts).length / enclosed.length
    expect(Math.abs(share - 0.5)).toBeLessThan(0.1)
  })

  it("adds two counts of common sense to what each story comes to", () => {
    const names = new Set<string>()
    for (const { world, plan, addition, value, prompt } of stories) {
      const [one, other] = addition.measures
      names.add(addition.scale.name.replace(/of [A-Z] among/, "of X among"))
      expect(value).toBe(addition.scale.at((addition.scale.of(plan.answer) ?? NaN) + one.n + other.n))
      if (world.kind === "number") expect(value).toMatch(/^\d+$/)
      expect(one).not.toBe(other)
      expect(prompt).toContain(` ${addition.text}`)
      for (const { phrase } of [one, other]) expect(addition.text).toContain(phrase)
    }
    expect([...names].toSorted()).toEqual([
      "the number asked for",
      "the number of that month (1 is January)",
      "the place of X among these letters (1 is the leftmost)",
      "the place of that letter in the alphabet (1 is A)",
      "the place of that word in the order told (1 is the first)",
      "the time asked for"
    ])
  })

  it("is answered neither by the start nor by taking all as told", () => {
    for (const { world, plan } of stories) expect(world.answer([])).not.toBe(plan.answer)
  })
})
