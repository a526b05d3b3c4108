import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { LEGS } from "../../../actors/registration/questions/bank/animals.ts"
import { factsOf } from "../../../actors/registration/questions/bank/bank.ts"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { MAX_FILE_BYTES, readBank } from "../../../actors/registration/questions/bank/own.ts"
import { FAMILIES } from "../../../actors/registration/questions/families.ts"
import { drafted } from "../../../actors/registration/questions/family.ts"
import { namedQuestions } from "../../../actors/registration/questions/generate.ts"
import { labelled } from "./support.ts"

describe("our bank", () => {
  it("holds at least 2,000 facts of at least 40 kinds", () => {
    const facts = factsOf(OUR_BANK)
    expect(facts.size).toBeGreaterThanOrEqual(40)
    expect([...facts.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(2000)
  })

  it("says nothing twice, and nothing of a thing both ways", () => {
    for (const { items, properties } of OUR_BANK.matrices) {
      expect(new Set(items).size).toBe(items.length)
      for (const { name, yes, unsure } of properties)
        expect([name, [...yes].filter((item) => unsure.has(item))]).toEqual([name, []])
    }
    for (const { name, pairs, intro, ref } of OUR_BANK.relations) {
      expect([name, new Set(pairs.map(([key]) => key)).size]).toEqual([name, pairs.length])
      expect(new Set(pairs.map(([, value]) => value)).size).toBeGreaterThanOrEqual(2)
      for (const template of [...intro, ...ref]) expect(template.split("{}").length).toBe(2)
    }
    const phrases = OUR_BANK.measures.map(({ phrase }) => phrase)
    expect(new Set(phrases).size).toBe(phrases.length)
  })

  it("knows the same of an animal in every place", () => {
    const of = (property: string) => OUR_BANK.matrices[0]?.properties.find(({ name }) => name === property)
    for (const [animal, legs] of Object.entries(LEGS)) {
      const known: ReadonlyArray<readonly [string, boolean]> = [
        ["fourlegs", legs === 4],
        ["insect", legs === 6],
        ["legless", legs === 0]
      ]
      for (const [property, wanted] of known)
        if (of(property)?.unsure.has(animal) === false)
          expect([animal, property, of(property)?.yes.has(animal)]).toEqual([animal, property, wanted])
    }
  })
})

/** A matrix whose first property is as given. */
const matrixWith = (property: { readonly yes?: ReadonlyArray<string>; readonly unsure?: ReadonlyArray<string> }) => {
  const items = "glove hat shoe scarf belt coat sock tie ring boot cape skirt".split(" ")
  const hand = { name: "hand", is: ["is worn on a hand"], not: ["is not worn on a hand"], yes: items.slice(0, 4) }
  return {
    type: "matrix",
    name: "clothes",
    items,
    properties: [{ ...hand, ...property }, ...["b", "c", "d"].map((name) => ({ ...hand, name }))]
  }
}

describe("a deployment's own bank", () => {
  let folder = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hub-questions-"))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const relation = {
    type: "relation",
    name: "ships",
    intro: ["sailed on the {}"],
    ref: ["whose ship is {}"],
    pairs: [
      ["Anna", "white"],
      ["Berta", "blue"],
      ["Cora", "green"],
      ["Dora", "red"]
    ]
  }
  const written = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    const read = readBank(folder)
    await rm(join(folder, name))
    return read
  }

  it("is joined to ours and used", async () => {
    const lines = [
      relation,
      { type: "measure", n: 9, phrase: "steps to our door" },
      { type: "question", prompt: "What is painted on our door?", answer: "anchor", kind: "word" }
    ]
    const read = await written("own.jsonl", lines.map((line) => JSON.stringify(line)).join("\n\n"))
    if (!read.ok) throw new Error(read.problem)
    const questions = Array.from({ length: 40 }, (_, i) => namedQuestions(labelled(`own ${i}`), read.bank)).flat()
    const share = (part: ReadonlyArray<unknown>): number => part.length / questions.length
    expect(share(questions.filter(({ family }) => family === "own"))).toBeGreaterThan(0.04)
    expect(share(questions.filter(({ prompt }) => /Anna|Berta|Cora|Dora/i.test(prompt)))).toBeGreaterThan(0.2)
    expect(questions.slice(0, 5).filter(({ format }) => format !== null).length).toBeLessThanOrEqual(1)
    expect(readBank(null)).toEqual({ ok: true, bank: OUR_BANK })
  })

  it("leaves out counts of the public source, and tells the size of no move by its own", async () => {
    const own = Array.from({ length: 80 }, (_, index) => ({
      type: "measure",
      n: 9,
      phrase: `beads of string ${index}`
    }))
    const lines = [...own, { type: "measure", n: 7, phrase: "Days in a week" }]
    const read = await written("counts.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"))
    if (!read.ok) throw new Error(read.problem)
    expect(read.bank.measures.map(({ phrase }) => phrase)).toEqual(own.map(({ phrase }) => phrase))
    for (const family of FAMILIES.filter(({ name }) => name === "purse" || name === "legs"))
      for (let index = 0; index < 40; index++) {
        const { story, prompt } = drafted(family, labelled(`counts ${index}`), read.bank)
        expect([story.match(/beads of string/g), prompt.match(/beads of string/g)?.length]).toEqual([null, 2])
      }
  })

  it("tells stories in its words alone, where it has some", async () => {
    const lines = [
      { type: "clause", family: "shelf-row", act: "up", texts: ["{p} zoomed {w} {q} to the right"] },
      { type: "clause", family: "shelf-part", act: "down", texts: ["{p} zoomed {w} {q} to the left"] },
      { type: "remark", says: "liar", texts: ["{p} has a wooden nose"] },
      { type: "remark", says: "contrast", texts: ["zounds, {r}, though {w} to a fool"] }
    ]
    const read = await written("words.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"))
    if (!read.ok) throw new Error(read.problem)
    const family = FAMILIES.find(({ name }) => name === "shelf-part")
    if (family === undefined) throw new Error("no shelf")
    const stories = Array.from({ length: 60 }, (_, i) => drafted(family, labelled(`words ${i}`), read.bank))
    const share = (pattern: RegExp): number =>
      stories.filter(({ story }) => pattern.test(story)).length / stories.length
    expect(share(/zoomed the [\s\S]* zoomed the /)).toBe(1)
    expect(share(/(?:moved|travelled|shifted|overtake)|(?:déplacé|verschob|movió|spostato|moveu|schoof)/)).toBe(0)
    const lies = stories.filter(({ plan }) => plan.blocks.flat().some((one) => one.type === "trust" && one.lies))
    expect(lies.every(({ story }) => story.includes("wooden"))).toBe(true)
    const contrasts = stories.filter(({ plan }) => plan.blocks.flat().some(({ type }) => type === "contrast"))
    expect(contrasts.every(({ story }) => /zounds/i.test(story))).toBe(true)
    expect(Math.min(lies.length, contrasts.length)).toBeGreaterThan(5)
    expect(stories.every(({ prompt }) => !/[{}|]/.test(prompt))).toBe(true)
  })

  it("keeps the words of one theme out of another that has a frame in common with it", async () => {
    const read = await written(
      "words.json",
      JSON.stringify([{ type: "clause", family: "points", act: "down", texts: ["{p} was booed, for {q}"] }])
    )
    if (!read.ok) throw new Error(read.problem)
    const told = (family: string): ReadonlyArray<boolean> =>
      FAMILIES.filter(({ name }) => name === family).flatMap((one) =>
        Array.from({ length: 20 }, (_, i) => drafted(one, labelled(`booed ${i}`), read.bank).story.includes("booed"))
      )
    expect(told("points")).toContain(true)
    expect(told("holdings")).not.toContain(true)
  })

  it.each([
    ["a.json", "[", "a.json: is not JSON"],
    ["a.json", "{}", "a.json: must hold one array of records"],
    [
      "a.json",
      '[{"type":"riddle"}]',
      "a.json record 1: type must be one of question, relation, matrix, measure, clause, remark, telling"
    ],
    ["b.jsonl", '\n{"type":"measure","n":1,"phrase":"x"}', "b.jsonl line 2: n: "],
    ["b.jsonl", '{"type":"measure","n":5,"phrase":"x","m":1}', "b.jsonl line 1: m: "],
    ["b.jsonl", JSON.stringify({ ...relation, ref: ["who has no place for it"] }), "b.jsonl line 1: ref.0: "],
    ["b.jsonl", JSON.stringify({ ...relation, pairs: relation.pairs.slice(1) }), "b.jsonl line 1: pairs: "],
    [
      "b.jsonl",
      JSON.stringify({ ...relation, pairs: relation.pairs.map(([key]) => [key, "white"]) }),
      "b.jsonl record 1: pairs: 4 different values wanted, found 1: a story has so many people"
    ],
    ["b.jsonl", `${JSON.stringify(relation)}\n${JSON.stringify(relation)}`, 'two relations are called "ships"'],
    [
      "c.jsonl",
      '{"type":"question","prompt":"How many?","answer":"some","kind":"number"}',
      "c.jsonl record 1: answer: is not read as a number by the grader"
    ],
    [
      "c.jsonl",
      '{"type":"clause","family":"purses","act":"up","texts":["{p} won {q}"]}',
      "c.jsonl record 1: family: must be one of holdings, "
    ],
    [
      "c.jsonl",
      '{"type":"clause","family":"purse","act":"give","texts":["{p} won {q}"]}',
      "c.jsonl record 1: act: purse has no give"
    ],
    [
      "c.jsonl",
      '{"type":"clause","family":"legs","act":"up","texts":["{p} won {q}"]}',
      "c.jsonl record 1: texts.0: {p} and {q} and {w} wanted, each once, found {p} {q}"
    ],
    [
      "c.jsonl",
      '{"type":"clause","family":"purse","act":"up","texts":["{p} won {coins}"]}',
      "c.jsonl line 1: texts.0: "
    ],
    [
      "c.jsonl",
      '{"type":"remark","says":"forget","texts":["no, not {c}"]}',
      "c.jsonl record 1: texts.0: no slot wanted, each once, found {c}"
    ],
    ["c.jsonl", '{"type":"remark","says":"perhaps","texts":["{c}"]}', "c.jsonl line 1: says: "],
    [
      "c.jsonl",
      '{"type":"telling","family":"legs","part":"start","texts":["it began"]}',
      "c.jsonl record 1: family: must be one of holdings, purse"
    ],
    [
      "c.jsonl",
      '{"type":"telling","family":"gap","part":"question","texts":["How many {g} has {a}?"]}',
      "c.jsonl record 1: texts.0: {a} and {b} and {g} wanted, each once, found {a} {g}"
    ],
    [
      "c.jsonl",
      JSON.stringify(matrixWith({ yes: ["glove", "hat"] })),
      "c.jsonl record 1: properties.0.yes: at least 3"
    ],
    [
      "c.jsonl",
      JSON.stringify(matrixWith({ unsure: ["shoe", "glove"] })),
      "c.jsonl record 1: properties.0.yes: an item is unsure as well"
    ],
    [
      "c.jsonl",
      JSON.stringify(matrixWith({ unsure: ["spoon"] })),
      'c.jsonl record 1: properties.0.unsure: "spoon" is none of the items'
    ],
    ["d.json", `["${"x".repeat(MAX_FILE_BYTES)}"]`, "d.json: is larger than"],
    ["e.txt", "[]", "holds no .json or .jsonl file"]
  ])("%s holding %s is one line that says what is wrong", async (name, text, problem) => {
    const read = await written(name, text)
    if (read.ok) throw new Error("it was taken")
    expect(read.problem).toContain(problem)
    expect(read.problem).toMatch(/^HUB_QUESTIONS: [^\n]*$/)
  })

  it("in no folder is told as well", () => {
    expect(readBank(join(folder, "none"))).toMatchObject({
      ok: false,
      problem: expect.stringContaining("is no folder that can be read") as string
    })
  })
})
