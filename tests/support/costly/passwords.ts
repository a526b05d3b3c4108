/** Passwords that cost most to judge. */
import { passwordProblem } from "../../../edge/human/password-policy.ts"
import type { Costly } from "../cost.ts"

/** With much that a password could hold of them. */
export const PERSON = { email: `${"a.b-c1".repeat(10)}@${"aaaa.".repeat(37)}com`, name: "bbbb cccc ".repeat(8) }

/** The length of a password that is judged is 200 at most. */
export const HARD: ReadonlyArray<string> = [
  "\ufdfa".repeat(200),
  "\ufdfa".repeat(199) + "x",
  "\uac01".repeat(199) + "x",
  "z".repeat(199) + "y",
  "zy".repeat(99) + "xx",
  "zzzy".repeat(49) + "zzzx",
  "\u0301".repeat(100) + "\u0323".repeat(100),
  "🐎".repeat(199) + "x",
  "!1@3$5".repeat(33),
  "1".repeat(199) + "x",
  "x" + "1".repeat(198) + "x"
]

/** One judgement is too short to be measured alone. */
export const JUDGEMENTS = 20

export const judging = (password: string): Costly => ({
  name: `${JUDGEMENTS} judgements of ${password.slice(0, 8)}`,
  length: password.length,
  prepare: (length) => {
    const part = password.slice(0, length)
    return () => {
      for (let n = 0; n < JUDGEMENTS; n++) passwordProblem(part, PERSON)
    }
  }
})

/** Marks in the order that costs a normalization most. */
export const marks = (length: number): string => "\u0301".repeat(length / 2) + "\u0323".repeat(length / 2)

export const TOO_LONG: Costly = {
  name: "a password of 100,000 marks",
  length: 100_000,
  prepare: (length) => {
    const password = marks(length)
    return () => passwordProblem(password, PERSON)
  }
}
