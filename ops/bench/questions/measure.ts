/** Has a program answer seeded challenges, and marks its answers as registrations do. */
import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { Bank, RemarkKind } from "../../../actors/registration/questions/bank/bank.ts"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { readBank } from "../../../actors/registration/questions/bank/own.ts"
import { ACTS_TOLD } from "../../../actors/registration/questions/bank/wanted.ts"
import { drafted, type Family } from "../../../actors/registration/questions/family.ts"
import { familiesDrawn, namedQuestions } from "../../../actors/registration/questions/generate.ts"
import { grade } from "../../../actors/registration/questions/grade.ts"
import { type Random, randomFromSeed } from "../../../actors/registration/questions/random.ts"
import { seemsMore, seemsTrue } from "./hints.ts"
import { masked } from "./masked.ts"
import { type Question, Solver } from "./solver.ts"

/** spec 3.3 */
const REQUIRED = 4

export interface Rates {
  readonly challenges: number
  readonly passed: number
  /** The number of right answers and of all answers, by family. */
  readonly families: ReadonlyMap<string, { readonly right: number; readonly all: number }>
}

const BANKS = join(import.meta.dirname, "banks")

/** The banks of three deployments by name. The solver was made without them. */
export const deploymentBanks = (): ReadonlyMap<string, Bank> =>
  new Map(
    readdirSync(BANKS)
      .toSorted()
      .map((name) => {
        const read = readBank(join(BANKS, name))
        if (!read.ok) throw new Error(read.problem)
        return [name, read.bank]
      })
  )

export const seedOf = (label: string, index: number): Uint8Array =>
  createHash("sha256").update(`${label} ${index}`).digest()

class Tally {
  private readonly families = new Map<string, { right: number; all: number }>()
  private challenges = 0
  private passed = 0

  challenge(verdicts: ReadonlyArray<readonly [family: string, right: boolean]>): void {
    this.challenges++
    if (verdicts.filter(([, right]) => right).length >= REQUIRED) this.passed++
    for (const [family, right] of verdicts) {
      const rates = this.families.get(family) ?? { right: 0, all: 0 }
      this.families.set(family, { right: rates.right + (right ? 1 : 0), all: rates.all + 1 })
    }
  }

  get rates(): Rates {
    return { challenges: this.challenges, passed: this.passed, families: this.families }
  }
}

/** Measures a program that gets only the prompts. */
export const measured = (
  solve: (prompt: string) => string,
  challenges: number,
  label: string,
  bank: Bank = OUR_BANK
): Rates => {
  const tally = new Tally()
  for (let index = 0; index < challenges; index++)
    tally.challenge(
      namedQuestions(randomFromSeed(seedOf(label, index)), bank).map(({ family, ...question }) => [
        family,
        grade({ id: "q1", ...question }, solve(question.prompt))
      ])
    )
  return tally.rates
}

/**
 * Measures the solver with a masked bank: it answers `learning` challenges and gets verdicts, then `challenges` more
 * without verdicts.
 */
export const solved = (
  bank: Bank,
  {
    learning,
    challenges,
    label,
    knowing = 0
  }: {
    readonly learning: number
    readonly challenges: number
    readonly label: string
    /**
     * If given, the solver knows the right meaning of this share of texts and has a wrong one for the others. This
     * shows whether it reads everything else.
     */
    readonly knowing?: number
  }
): Rates => {
  const hidden = masked(bank)
  const prior = knowing === 0 ? priorOf(bank) : knownOf(bank, knowing)
  const solver = new Solver(hidden, prior)
  for (let index = 0; index < learning; index++) {
    for (const question of questionsOf(randomFromSeed(seedOf(`${label} learning`, index)), hidden)) {
      solver.told(question, solver.answer(question) === question.drafted.value)
    }
  }
  solver.study()
  const tally = new Tally()
  for (let index = 0; index < challenges; index++)
    tally.challenge(
      questionsOf(randomFromSeed(seedOf(label, index)), hidden).map((question) => [
        question.family.name,
        solver.answer(question) === question.drafted.value
      ])
    )
  return tally.rates
}

const questionsOf = (random: Random, bank: Bank): ReadonlyArray<Question> =>
  familiesDrawn(random, bank)
    .filter((family): family is Family => family !== null)
    .map((family) => ({ family, drafted: drafted(family, random, bank) }))

const CERTAIN = 8
const EFFECTS: Readonly<Record<string, number>> = { forget: 0, undone: 0, aside: 1, again: 2 }
const ONES = new Set(["so", "liar", "between", "unlike", "instead", "denied"])

const truthOf = (bank: Bank, unknown: string): number => {
  const [word = "", rest = ""] = unknown.split(" ")
  const [, kind = "", n = "0"] = rest.split(":")
  if (word.startsWith("c:")) return 0
  if (word === "measure") return bank.measures[Number(rest)]?.n ?? 0
  if (word === "effect") return EFFECTS[kind] ?? 1
  if (word === "first") {
    const text = bank.wording.remarks.get(kind as RemarkKind)?.[Number(n)] ?? ""
    return kind === "contrast"
      ? Number(text.indexOf("{r}") < text.indexOf("{w}"))
      : Number(text.indexOf("{y}") < text.indexOf("{n}"))
  }
  if (word === "fact") {
    const [, property = "0"] = unknown.split(" ").slice(1)
    const matrix = bank.matrices[Number(kind)]
    return Number(matrix?.properties[Number(property)]?.yes.has(matrix.items[Number(n)] ?? "") ?? false)
  }
  if (word === "pair") {
    const [, , value = ""] = unknown.split(" ")
    const pairs = bank.relations[Number(kind)]?.pairs ?? []
    const values = [...new Set(pairs.map(([, one]) => one))]
    return Number(pairs[Number(n)]?.[1] === values[Number(value.split(":")[2])])
  }
  return Number(ONES.has(kind))
}

const knownOf =
  (bank: Bank, share: number) =>
  (unknown: string, values: number): Float64Array => {
    const weights = new Float64Array(values)
    const isKnown = seedOf(unknown, 0)[0] ?? 0
    const truth = truthOf(bank, unknown)
    weights[isKnown < 256 * share ? truth : (truth + 1) % values] = CERTAIN
    return weights
  }

/** The weight of a count that no public measure has. */
const UNUSUAL = 0.1
/** The weight of a hint, as a logarithm of odds. */
const HINT = 0.3
/** The sign of the hint for each kind of remark. 1 means that words of truth suggest the second value. */
const HINTED: Readonly<Record<string, number>> = {
  counts: 1,
  lies: -1,
  skips: -1,
  replaces: -1,
  denies: -1,
  unlike: -1
}

/** The solver's assumptions before any verdict, from single words of each private text. */
const priorOf = (bank: Bank): ((unknown: string, values: number) => Float64Array) => {
  const lists = [...bank.wording.clauses]
  return (unknown, values) => {
    const weights = new Float64Array(values)
    if (unknown.startsWith("measure ")) {
      for (const n of weights.keys())
        weights[n] = Math.log(OUR_BANK.measures.filter((one) => one.n === n).length + UNUSUAL)
      return weights
    }
    if (unknown.startsWith("c:")) {
      const [, list, n] = unknown.split(":")
      const [key, texts] = lists[Number(list)] ?? []
      const act = ACTS_TOLD.get(key ?? "")?.act
      const more = HINT * seemsMore(texts?.[Number(n)] ?? "")
      // The second value means the opposite direction.
      if (act !== "give") weights[0] = act === "up" ? more : -more
      return weights
    }
    const [word = "", rest = ""] = unknown.split(" ")
    const [, kind = "", n = "0"] = rest.split(":")
    const text = bank.wording.remarks.get(kind.replace("-", " ") as RemarkKind)?.[Number(n)] ?? ""
    const hint = HINT * seemsTrue(text)
    if (word === "effect") weights[0] = -hint
    if (HINTED[word] !== undefined) weights[1] = HINTED[word] * hint
    return weights
  }
}
