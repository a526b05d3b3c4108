/** Every utterance of a plan as a clause, in one of several languages. */
import { LANGUAGES, CARDINAL, PHRASES } from "../language/foreign.ts"
import { opened } from "../language/aside.ts"
import * as correction from "../language/correction.ts"
import * as logic from "../language/logic.ts"
import { counting, notCounting } from "../language/mood.ts"
import { bare } from "../language/quantity.ts"
import * as source from "../language/source.ts"
import { pronoun } from "./cast.ts"
import { clause, foreignClause, type Manner, onlooker, pick, remark, type Telling } from "./clause.ts"
import type { Claim, Utterance } from "./plan.ts"
import { NONE } from "./world.ts"
import type { Move } from "./world.ts"

const FOREIGN_OF_TEN = 2
const FRAMED_OF_TEN = 4
const LEAST_FOREIGN = 2
const BETWEEN: ReadonlyArray<(from: string, to: string) => string> = [
  (from, to) => `what is told after "${from}" and before "${to}" was a mere rehearsal and does not count`,
  (from, to) => `nothing between the sentences "${from}" and "${to}" is part of the matter, so skip it`,
  (from, to) => `leave out what stands between "${from}" and "${to}", for it happened in a film`,
  (from, to) => `from "${from}" up to "${to}" I was talking about other people of the same names: ignore that stretch`
]

function told(telling: Telling, { id, move, real, by }: Utterance & { readonly type: "tell" }, quiet: boolean): string {
  const { random, cast, world } = telling
  const act = pick(world.acts, move.act)
  telling.languages.delete(id)
  if (
    act.foreign !== null &&
    !quiet &&
    !telling.recalled.has(id) &&
    (move.n === NONE || move.n >= LEAST_FOREIGN) &&
    random.int(1, 10) <= FOREIGN_OF_TEN
  ) {
    const language = random.pick(LANGUAGES)
    telling.languages.set(id, language)
    const said = foreignClause(telling, move, language, act)
    const phrases = PHRASES[language]
    const around = by !== NONE ? phrases.says : real ? phrases.so : phrases.notSo
    return random
      .pick(around)
      .replace("{c}", () => said)
      .replace("{p}", () => pick(cast.people, by).name)
  }
  const said = clause(telling, move, quiet ? { quiet, who: pick(cast.people, move.who).name } : { of: id })
  const c = (): string => said
  if (by !== NONE) {
    const who = telling.person(by)
    return remark(telling, "says", { p: () => who, c }) ?? source.saying(random, who, said)
  }
  if (!real) return remark(telling, "not so", { c }) ?? notCounting(random, said, () => onlooker(telling))
  if (quiet || random.int(1, 10) > FRAMED_OF_TEN) return opened(random, said)
  return remark(telling, "so", { c }) ?? counting(random, said, () => onlooker(telling))
}

const IN_FACT = ["the truth is that", "in fact", "it should read:", "what really happened is that"]

function amended(telling: Telling, { of, move, from, part, late }: Utterance & { readonly type: "amend" }): string {
  const { random, world } = telling
  const language = telling.languages.get(of)
  if (part === "act") {
    const right = clause(telling, move)
    return late
      ? correction.late(random, clause(telling, from, { of }), `${random.pick(IN_FACT)} ${right}`)
      : correction.retold(random, right)
  }
  if (part === "n" && !late && language !== undefined) {
    const say = CARDINAL[language]
    return random.pick(PHRASES[language].instead).replace("{w}", say(from.n)).replace("{r}", say(move.n))
  }
  const [wrong, right] =
    part === "n"
      ? [bare(random, from.n), bare(random, move.n)]
      : part === "what"
        ? [random.pick(pick(world.things, from.what)), random.pick(pick(world.things, move.what))]
        : [telling.person(from.who), telling.person(move.who)]
  const amendment =
    remark(telling, "instead", { w: () => wrong, r: () => right }) ?? correction.instead(random, wrong, right)
  return late ? correction.late(random, clause(telling, from, { of }), amendment) : amendment
}

function cancelled(telling: Telling, { of, move, how, late }: Utterance & { readonly type: "cancel" }): string {
  const { random } = telling
  if (late) {
    const denied = clause(telling, move, { of })
    return remark(telling, "denied", { c: () => denied }) ?? correction.denied(random, denied)
  }
  const language = telling.languages.get(of)
  if (language !== undefined) return random.pick(how === "undone" ? PHRASES[language].undone : PHRASES[language].forget)
  return how === "undone"
    ? (remark(telling, "undone", {}) ?? correction.undone(random))
    : (remark(telling, "forget", {}) ?? correction.forgetting(random))
}

function same(telling: Telling, move: Move): Manner {
  const person = pick(telling.cast.people, move.who)
  const subject = telling.random.pick([pronoun(person), pronoun(person), "the same person"])
  return { who: subject, whom: subject === "she" ? "her" : subject === "he" ? "him" : subject }
}

function claimText({ random, bank }: Telling, { matrix, item, property, side }: Claim): string {
  const { is, not } = bank.matrices
    .find(({ name }) => name === matrix)
    ?.properties.find(({ name }) => name === property) ?? { is: [""], not: [""] }
  return logic.claiming(random, item, random.pick(side ? is : not))
}

export function said(telling: Telling, utterance: Utterance, block: ReadonlyArray<Utterance>): string {
  const { random, signs, cast } = telling
  switch (utterance.type) {
    case "tell":
      return told(
        telling,
        utterance,
        block.some(({ type }) => type === "pronoun")
      )
    case "pronoun": {
      const before = block.find(({ type }) => type === "tell") as Utterance & { readonly type: "tell" }
      const named = pick(cast.people, utterance.move.who).name
      return clause(telling, utterance.move, before.move.whom === NONE ? same(telling, utterance.move) : { who: named })
    }
    case "amend":
      return amended(telling, utterance)
    case "cancel":
      return cancelled(telling, utterance)
    case "repeat": {
      const language = telling.languages.get(utterance.of)
      return language === undefined
        ? (remark(telling, "again", {}) ?? correction.again(random))
        : random.pick(PHRASES[language].again)
    }
    case "restate": {
      const again = clause(telling, utterance.move, { of: utterance.of })
      return remark(telling, "restated", { c: () => again }) ?? correction.restated(random, again)
    }
    case "select":
      return logic.selecting(
        random,
        claimText(telling, utterance.claim),
        clause(telling, utterance.yes),
        clause(telling, utterance.no)
      )
    case "contrast": {
      const [right, wrong] = [clause(telling, utterance.right), clause(telling, utterance.wrong)]
      return remark(telling, "contrast", { r: () => right, w: () => wrong }) ?? logic.contrasting(random, right, wrong)
    }
    case "likewise": {
      const { base, move } = utterance
      return (base.act === move.act ? logic.likewise : logic.opposite)(
        random,
        telling.person(move.who),
        bare(random, move.n)
      )
    }
    case "sign":
      return signs[utterance.opens ? 0 : 1]
    case "between":
      return random.pick(BETWEEN)(...signs)
    case "distrust": {
      const language = random.pick(LANGUAGES)
      if (random.int(1, 10) <= FOREIGN_OF_TEN)
        return random.pick(PHRASES[language].distrust).replace("{p}", pick(cast.people, utterance.who).name)
      const honest = random.pick([...cast.people.keys()].filter((index) => index !== utterance.who))
      return (
        remark(telling, "liar", { p: () => telling.person(utterance.who) }) ??
        source.distrusting(random, telling.person(utterance.who), telling.person(honest))
      )
    }
  }
}
