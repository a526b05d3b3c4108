/**
 * Reports the texts that a deployment still needs (ops/docs/questions.md). With enough texts, a program that knows this
 * source but no verdicts passes hardly any challenge. Texts are needed for every act of every family, for remarks
 * around acts, and for the start and the question of stories. Facts are needed that no public source has.
 */
import type { HubConfig } from "../../../../schemas/config.ts"
import { FAMILIES } from "../families.ts"
import { randomFromSeed, SEED_BYTES } from "../random.ts"
import { type Bank, REMARK_SLOTS, type RemarkKind, TELLING_SLOTS, wordingKey } from "./bank.ts"
import { OUR_BANK } from "./index.ts"
import { ACTS, MATRICES_MIN, MEASURES_MIN, RELATIONS_MIN } from "./own.ts"

export const CLAUSES_MIN = 30
export const REMARKS_MIN = 15
export const TELLINGS_MIN = 5

const short = (record: string, count: number, least: number): ReadonlyArray<string> =>
  count < least ? [`${record}: ${count} of ${least}`] : []

/** Each act that occurs in stories, with the first family that has it. */
export const ACTS_TOLD: ReadonlyMap<string, { readonly family: string; readonly act: string }> = new Map(
  FAMILIES.toReversed().flatMap(({ name, world }) =>
    world(randomFromSeed(new Uint8Array(SEED_BYTES)), OUR_BANK)
      .acts.slice(0, ACTS.length)
      .map((act, index) => [wordingKey(act.english), { family: name, act: ACTS[index] ?? "" }] as const)
  )
)

/** One line for each missing kind of text, with record and count. Empty if the bank has enough. */
export function wordsWanting({ wording, own, ...facts }: Bank): ReadonlyArray<string> {
  const count = (kind: "matrices" | "relations" | "measures"): number => (own.has(kind) ? facts[kind].length : 0)
  return [
    ...[...ACTS_TOLD].flatMap(([key, { family, act }]) =>
      short(`clause ${family} ${act}`, wording.clauses.get(key)?.length ?? 0, CLAUSES_MIN)
    ),
    ...Object.keys(REMARK_SLOTS).flatMap((kind) =>
      short(`remark ${kind}`, wording.remarks.get(kind as RemarkKind)?.length ?? 0, REMARKS_MIN)
    ),
    ...Object.keys(TELLING_SLOTS).flatMap((telling) =>
      short(`telling ${telling}`, wording.tellings.get(telling)?.length ?? 0, TELLINGS_MIN)
    ),
    ...short("matrix", count("matrices"), MATRICES_MIN),
    ...short("relation", count("relations"), RELATIONS_MIN),
    ...short("measure", count("measures"), MEASURES_MIN)
  ]
}

/** The reason why a node must not make challenges from this bank, or `null`. */
export function bankProblem(
  { env, publicQuestions }: Pick<HubConfig, "env" | "publicQuestions">,
  bank: Bank
): string | null {
  const wanting = env === "production" && !publicQuestions ? wordsWanting(bank) : []
  if (wanting.length === 0) return null
  return (
    "HUB_QUESTIONS must hold words of your own, since a program can be written that reads those of the public source " +
    `(${wanting.length} wanting, such as ${wanting[0]}; all by hub questions check, or set HUB_ALLOW_PUBLIC_QUESTIONS to true)`
  )
}
