/** Passwords that are most costly to check. */
import { passwordProblem } from "../../../edge/human/password-policy.ts"
import type { Costly } from "../cost.ts"

/** A person whose address and name have many parts that a password could contain. */
export const PERSON = { email: `${"a.b-c1".repeat(10)}@${"aaaa.".repeat(37)}com`, name: "bbbb cccc ".repeat(8) }

/** Passwords of 200 characters, the most that are checked. */
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

/** One check is too fast to be measured, so it is repeated this often. */
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

/** Combining marks in the order that is most costly to normalize. */
export const marks = (length: number): string => "\u0301".repeat(length / 2) + "\u0323".repeat(length / 2)

export const TOO_LONG: Costly = {
  name: "a password of 100,000 marks",
  length: 100_000,
  prepare: (length) => {
    const password = marks(length)
    return () => passwordProblem(password, PERSON)
  }
}
