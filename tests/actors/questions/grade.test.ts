import fc from "fast-check"
import { toCardinal } from "n2words/en-GB"
import { describe, expect, it } from "vitest"
import { FAMILIES } from "../../../actors/registration/questions/families.ts"
import { grade, gradeAll } from "../../../actors/registration/questions/grade.ts"
import { MAX_ANSWER_CHARS } from "../../../actors/registration/questions/question.ts"
import type { Question } from "../../../actors/registration/questions/question.ts"
import { NAMES } from "../../../actors/registration/questions/language/names.ts"
import { cpuMsOf, HANG_CPU_MS } from "../../support/cost.ts"
import { GIVEN, gradeAllGiven } from "../../support/costly/answers.ts"
import { draftsOf, mentions } from "./support.ts"
import { ask, RIGHT, WRONG } from "./grade-cases.ts"

const QUOTES = [
  ['"', '"'],
  ["'", "'"],
  ["“", "”"],
  ["„", "“"],
  ["‘", "’"],
  ["«", "»"],
  ["« ", " »"],
  ["‹", "›"],
  ["`", "`"],
  ["´", "´"],
  ["```", "```"],
  ["**", "**"],
  ["(", ")"]
]

describe("what is forgiven and what is not", () => {
  it.each(RIGHT.flatMap(([question, given]) => given.map((answer) => ({ wanted: question.answer, answer, question }))))(
    "$wanted: $answer is right",
    ({ question, answer }) => {
      expect(grade(question, answer)).toBe(true)
    }
  )

  it.each(WRONG.flatMap(([question, given]) => given.map((answer) => ({ wanted: question.answer, answer, question }))))(
    "$wanted: $answer is wrong",
    ({ question, answer }) => {
      expect(grade(question, answer)).toBe(false)
    }
  )

  it.each(QUOTES)("drops %s and %s around a value", (open, close) => {
    for (const [kind, answer] of [
      ["word", "Zoë"],
      ["number", "17"],
      ["time", "14:09"],
      ["time12", "4:05 pm"]
    ] as const) {
      expect([answer, grade(ask(kind, answer), `${open}${answer}${close}`)]).toEqual([answer, true])
    }
  })
})

describe("explicit formats", () => {
  const json = ask("number", '{"answer":42}', "json")
  it.each(['{"answer":42}', ' { "answer" : 42 }\n', '{"answer":4.2e1}', { answer: 42 }])(
    "JSON %j is right",
    (given) => {
      expect(grade(json, given)).toBe(true)
    }
  )

  it.each([
    "42",
    42,
    '{"answer":"42"}',
    { answer: "42" },
    '{"Answer":42}',
    '{"answer":42,"unit":"eggs"}',
    '{"answer":42,"__proto__":{}}',
    "{answer:42}",
    '[{"answer":42}]',
    '"{\\"answer\\":42}"',
    '```{"answer":42}```',
    '{"answer":43}',
    '{"answer":[42]}',
    "null",
    null,
    [],
    `{"answer":42${" ".repeat(MAX_ANSWER_CHARS)}}`
  ])("JSON %j is wrong", (given) => {
    expect(grade(json, given)).toBe(false)
  })

  const exact = ask("word", "VERA-0087", "exact")
  it.each([
    "vera-0087",
    "VERA-87",
    " VERA-0087",
    "VERA-0087.",
    '"VERA-0087"',
    "VERA 0087",
    "VERA‑0087",
    { answer: "VERA-0087" },
    '{"answer":"VERA-0087"}'
  ])("exact %j is wrong", (given) => {
    expect(grade(exact, given)).toBe(false)
  })
  it("exact is right to the letter", () => {
    expect(grade(exact, "VERA-0087")).toBe(true)
  })
})

describe("number words", () => {
  it("match their numeral, and no neighbour, from 0 to 9999", () => {
    for (let n = 0; n <= 9999; n++) {
      const words = toCardinal(n)
      const forms = [
        words,
        words.toUpperCase(),
        words.replaceAll("-", " "),
        words.replaceAll(" and ", " "),
        n.toLocaleString("en-US"),
        n.toLocaleString("de-DE")
      ]
      for (const form of forms)
        if (!grade(ask("number", String(n)), form)) throw new Error(`${form} is not read as ${n}`)
      for (const near of [n - 1, n + 1, n * 10, n + 100])
        if (n !== near && grade(ask("number", String(near)), words)) throw new Error(`${words} is read as ${near}`)
    }
  })
})

const drafts = FAMILIES.flatMap((family) =>
  draftsOf(family, 10).map(({ prompt, answer, kind, format }): Question => ({ id: "q1", prompt, answer, kind, format }))
)

const drafted = fc.constantFrom(...drafts)
const free = fc.constantFrom(...drafts.filter(({ format }) => format === null))

describe("drafted questions", () => {
  it("take their own answer, in and out of quotes, case and wrapper", () => {
    for (const question of drafts)
      expect([question.prompt, grade(question, question.answer)]).toEqual([question.prompt, true])
    fc.assert(
      fc.property(
        free,
        fc.constantFrom(...QUOTES),
        fc.boolean(),
        fc.boolean(),
        fc.nat(2),
        (question, [open = "", close = ""], upper, accents, wrap) => {
          const cased = upper ? question.answer.toUpperCase() : question.answer.toLowerCase()
          const plain = `${open}${accents ? cased : cased.normalize("NFD").replace(/\p{M}/gu, "")}${close}`
          expect(grade(question, [plain, { answer: plain }, JSON.stringify({ answer: plain })][wrap])).toBe(true)
        }
      )
    )
  })

  it("refuse the other values a guesser would try", () => {
    for (const question of drafts) {
      const others = mentions(question.prompt, NAMES).filter((name) => name !== question.answer)
      const number = Number(question.answer)
      const near = Number.isNaN(number)
        ? []
        : [number - 1, number + 1, number * 10, -number - 1].map(String).filter((text) => text !== question.answer)
      const guesses = [
        ...others,
        ...near,
        ...(question.prompt.match(/\d+/g) ?? []).filter(
          (digits) => digits !== question.answer && question.format === null && question.kind === "number"
        )
      ]
      for (const guess of guesses)
        expect([question.prompt, guess, grade(question, guess)]).toEqual([question.prompt, guess, false])
    }
  })

  it("refuse any added word", () => {
    fc.assert(
      fc.property(
        drafted,
        fc.constantFrom("answer", "is", "apples", "7", "or", "minutes"),
        fc.boolean(),
        (question, word, front) => {
          expect(grade(question, front ? `${word} ${question.answer}` : `${question.answer} ${word}`)).toBe(false)
        }
      )
    )
  })
})

describe("hostile answers", () => {
  it("are judged, never thrown at", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.anything()
    )
    fc.assert(
      fc.property(drafted, text, (question, given) => {
        expect(typeof grade(question, given)).toBe("boolean")
      }),
      { numRuns: 2000 }
    )
  })

  it("longer than the bound are wrong, even if right in substance", () => {
    const question = ask("word", "Lena")
    expect(grade(question, `Lena${".".repeat(MAX_ANSWER_CHARS - 4)}`)).toBe(true)
    expect(grade(question, `Lena${".".repeat(MAX_ANSWER_CHARS - 3)}`)).toBe(false)
    expect(grade(question, { answer: `Lena${".".repeat(MAX_ANSWER_CHARS)}` })).toBe(false)
    expect(grade(question, `{"answer":"Lena${" ".repeat(MAX_ANSWER_CHARS)}"}`)).toBe(false)
  })

  it("of any size are wrong, and hang nothing", async () => {
    expect(gradeAllGiven()).toEqual(GIVEN.map(() => false))
    expect(await cpuMsOf(gradeAllGiven)).toBeLessThan(HANG_CPU_MS)
  })
})

describe("a whole challenge", () => {
  const questions = [ask("number", "5"), { ...ask("word", "Lena"), id: "q2" }, { ...ask("time", "09:05"), id: "q3" }]
  it("counts the right ones and names the wrong ones in order", () => {
    expect(gradeAll(questions, { q3: "9h05", q1: "five", q2: "lena" })).toEqual({ correct: 3, wrong: [] })
    expect(gradeAll(questions, { q2: "Lena", q9: "5" })).toEqual({ correct: 1, wrong: ["q1", "q3"] })
    expect(gradeAll(questions, {})).toEqual({ correct: 0, wrong: ["q1", "q2", "q3"] })
  })
  it("takes no answer from the prototype", () => {
    expect(
      gradeAll([{ ...ask("word", "x"), id: "toString" }], Object.create({ toString: "x" }) as Record<string, unknown>)
    ).toEqual({ correct: 0, wrong: ["toString"] })
  })
})
