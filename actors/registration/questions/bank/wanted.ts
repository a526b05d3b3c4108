/**
 * How many words of its own a deployment needs before a program that knows this source passes hardly any challenge
 * (`npm run bench -- --only questions`): for every act of those kinds of question of which each challenge has one, and
 * for everything that is said around an act.
 */
import type { HubConfig } from "../../../../schemas/config.ts"
import { FAMILIES } from "../families.ts"
import { randomFromSeed, SEED_BYTES } from "../random.ts"
import { type Bank, REMARK_SLOTS, type RemarkKind, wordingKey } from "./bank.ts"
import { ACTS } from "./own.ts"

const IN_EVERY_CHALLENGE = ["shelf-row", "card-number", "stickers"]
export const CLAUSES_MIN = 6
export const REMARKS_MIN = 3

const short = (record: string, texts: ReadonlyArray<string> | undefined, least: number): ReadonlyArray<string> =>
  (texts?.length ?? 0) < least ? [`${record}: ${texts?.length ?? 0} of ${least}`] : []

/** Each lack as a line that names record and count; nothing where the bank has enough. */
export function wordsWanting(bank: Bank): ReadonlyArray<string> {
  const clauses = IN_EVERY_CHALLENGE.flatMap((name) => {
    const world = FAMILIES.find((family) => family.name === name)?.world(
      randomFromSeed(new Uint8Array(SEED_BYTES)),
      bank
    )
    return (world?.acts ?? []).flatMap((act, index) =>
      short(`clause ${name} ${ACTS[index]}`, bank.wording.clauses.get(wordingKey(act.english)), CLAUSES_MIN)
    )
  })
  const remarks = Object.keys(REMARK_SLOTS).flatMap((kind) =>
    short(`remark ${kind}`, bank.wording.remarks.get(kind as RemarkKind), REMARKS_MIN)
  )
  return [...clauses, ...remarks]
}

/** Of a node that is to make challenges from this bank; `null` where it may. */
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
