/** Seeded challenges answered by a program and marked by the grader that registrations meet. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import type { Bank } from "../../../actors/registration/questions/bank/bank.ts"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { readBank } from "../../../actors/registration/questions/bank/own.ts"
import { namedQuestions } from "../../../actors/registration/questions/generate.ts"
import { grade } from "../../../actors/registration/questions/grade.ts"
import { randomFromSeed } from "../../../actors/registration/questions/random.ts"

/** spec 3.3 */
const REQUIRED = 4

export interface Rates {
  readonly challenges: number
  readonly passed: number
  /** Right and all, by family. */
  readonly families: ReadonlyMap<string, { readonly right: number; readonly all: number }>
}

/** What a deployment might add: words that no solver here has seen. */
export const deploymentBank = (): Bank => {
  const read = readBank(join(import.meta.dirname, "deployment"))
  if (!read.ok) throw new Error(read.problem)
  return read.bank
}

export const seedOf = (label: string, index: number): Uint8Array =>
  createHash("sha256").update(`${label} ${index}`).digest()

export const measured = (
  solve: (prompt: string) => string,
  challenges: number,
  label: string,
  bank: Bank = OUR_BANK
): Rates => {
  const families = new Map<string, { right: number; all: number }>()
  let passed = 0
  for (let index = 0; index < challenges; index++) {
    let correct = 0
    for (const { family, ...question } of namedQuestions(randomFromSeed(seedOf(label, index)), bank)) {
      const right = grade({ id: "q1", ...question }, solve(question.prompt))
      const rates = families.get(family) ?? { right: 0, all: 0 }
      families.set(family, { right: rates.right + (right ? 1 : 0), all: rates.all + 1 })
      if (right) correct++
    }
    if (correct >= REQUIRED) passed++
  }
  return { challenges, passed, families }
}
