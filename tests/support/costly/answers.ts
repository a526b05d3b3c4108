/** Answers to registration's questions that are most costly to grade. */
import { grade } from "../../../actors/registration/questions/grade.ts"
import { MAX_ANSWER_CHARS, type Question } from "../../../actors/registration/questions/question.ts"
import { ask } from "../../actors/questions/grade-cases.ts"

const KINDS = ["number", "word", "time", "time12"] as const

const WORST: ReadonlyArray<string> = [
  "\ufdfa".repeat(MAX_ANSWER_CHARS),
  "\u0301".repeat(MAX_ANSWER_CHARS),
  "{".repeat(100) + "}".repeat(100),
  "1,".repeat(100),
  " ".repeat(199) + "x",
  "\ud800".repeat(200),
  "a ".repeat(100),
  "{answer:".repeat(25),
  "x".repeat(10_000_000)
]

export interface Given {
  readonly question: Question
  readonly answer: string
}

export const GIVEN: ReadonlyArray<Given> = WORST.flatMap((answer) =>
  KINDS.map((kind) => ({ question: ask(kind, "9:05 am"), answer }))
)

export const gradeAllGiven = (): ReadonlyArray<boolean> => GIVEN.map(({ question, answer }) => grade(question, answer))
