/** Puts every utterance of a plan into a clause, in one of several languages. */
import { LANGUAGES, CARDINAL, PHRASES } from "../language/foreign.ts"
import { opened } from "../language/aside.ts"
import * as correction from "../language/correction.ts"
import * as logic from "../language/logic.ts"
import { counting, notCounting } from "../language/mood.ts"
import { bare } from "../language/quantity.ts"
import * as source from "../language/source.ts"
import { pronoun } from "./cast.ts"
import { clause, foreignClause, type Manner, onlooker, ownFramesOf, pick, remark, type Telling } from "./clause.ts"
import type { Claim, Utterance } from "./plan.ts"
import type { Part } from "./world.ts"
import { NONE } from "./world.ts"
import type { Move } from "./world.ts"

const FOREIGN_OF_TEN = 2
const LEAST_FOREIGN = 2
const BETWEEN: ReadonlyArray<(from: string, to: string) => string> = [
  (from, to) => `what is told after "${from}" and before "${to}" was a mere rehearsal and does not count`,
  (from, to) => `nothing between the sentences "${from}" and "${to}" is part of the matter, so skip it`,
  (from, to) => `leave out what stands between "${from}" and "${to}", for it happened in a film`,
  (from, to) => `from "${from}" up to "${to}" I was talking about other people of the same names: ignore that stretch`
]

/** These say that the part between two sentences counts like the rest. */
const WITHIN: ReadonlyArray<(from: string, to: string) => string> = [
  (from, to) => `what is told after "${from}" and before "${to}" was no rehearsal and counts like the rest`,
  (from, to) => `all between the sentences "${from}" and "${to}" is part of the matter, so do not skip it`,
  (from, to) => `do not leave out what stands between "${from}" and "${to}", for it happened and in no film`,
  (from, to) => `from "${from}" up to "${to}" I was talking about these very people, so mind that stretch too`
]

function tellSentence(
  telling: Telling,
  { id, move, mood, by }: Utterance & { readonly type: "tell" },
  quiet: boolean
): string {
  const { random, cast, world } = telling
  const act = pick(world.acts, move.act)
  telling.languages.delete(id)
  if (
    act.foreign !== null &&
    ownFramesOf(telling, move.act).length === 0 &&
    !quiet &&
    !telling.recalled.has(id) &&
    (move.n === NONE || move.n >= LEAST_FOREIGN) &&
    random.int(1, 10) <= FOREIGN_OF_TEN
  ) {
    const language = random.pick(LANGUAGES)
    telling.languages.set(id, language)
    const said = foreignClause(telling, move, language, act)
    const phrases = PHRASES[language]
    const around = by !== NONE ? phrases.says : mood === "not so" ? phrases.notSo : phrases.so
    return random
      .pick(around)
      .replace("{c}", () => said)
      .replace("{p}", () => pick(cast.people, by).name)
  }
  const said = clause(telling, move, quiet ? { quiet, who: pick(cast.people, move.who).name } : { of: id })
  const c = (): string => said
  if (by !== NONE) {
    const who = telling.person(by)
    return (
      remark(telling, "says", { p: () => who, "p's": () => pick(cast.people, by).name, c }) ??
      source.saying(random, who, said)
    )
  }
  if (mood === "not so") return remark(telling, "not so", { c }) ?? notCounting(random, said, () => onlooker(telling))
  if (mood === "plain") return quiet ? said : opened(random, said)
  return remark(telling, "so", { c }) ?? counting(random, said, () => onlooker(telling))
}

const IN_FACT = ["the truth is that", "in fact", "it should read:", "what really happened is that"]

function amended(telling: Telling, { of, move, from, part, late }: Utterance & { readonly type: "amend" }): string {
  const { random } = telling
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
  const slots = { w: () => partOf(telling, part, from), r: () => partOf(telling, part, move) }
  const amendment = remark(telling, "instead", slots) ?? correction.instead(random, slots.w(), slots.r())
  return late ? correction.late(random, clause(telling, from, { of }), amendment) : amendment
}

const partOf = (telling: Telling, part: Part, { n, what, who }: Move): string =>
  part === "n"
    ? bare(telling.random, n)
    : part === "what"
      ? telling.random.pick(pick(telling.world.things, what))
      : telling.person(who)

function keepSentence(telling: Telling, { move, other, part }: Utterance & { readonly type: "keep" }): string {
  const slots = { w: () => partOf(telling, part, other), r: () => partOf(telling, part, move) }
  return remark(telling, "kept", slots) ?? correction.keptSentence(telling.random, slots.w(), slots.r())
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

function trusted(telling: Telling, { who, lies }: Utterance & { readonly type: "trust" }): string {
  const { random, cast, speakers } = telling
  const { name } = pick(cast.people, who)
  const own = remark(telling, lies ? "liar" : "honest", { p: () => telling.person(who), "p's": () => name })
  if (own !== null) return own
  if (!lies) return source.trusting(random, telling.person(who))
  if (random.int(1, 10) <= FOREIGN_OF_TEN)
    return random.pick(PHRASES[random.pick(LANGUAGES)].distrust).replace("{p}", name)
  const honest = random.pick([...cast.people.keys()].filter((index) => index !== who && !speakers.liars.has(index)))
  return source.distrusting(random, telling.person(who), telling.person(honest))
}

function same(telling: Telling, move: Move): Manner {
  const person = pick(telling.cast.people, move.who)
  const subject = telling.random.pick([pronoun(person), pronoun(person), "the same person"])
  const whom = subject === "she" ? "her" : subject === "he" ? "him" : subject
  return { who: subject, whom }
}

function claimText({ random, bank }: Telling, { matrix, item, property, side }: Claim): string {
  const { is, not } = bank.matrices
    .find(({ name }) => name === matrix)
    ?.properties.find(({ name }) => name === property) ?? { is: [""], not: [""] }
  return logic.claiming(random, item, random.pick(side ? is : not))
}

export function sentenceOf(telling: Telling, utterance: Utterance, block: ReadonlyArray<Utterance>): string {
  const { random, signs, cast } = telling
  switch (utterance.type) {
    case "tell":
      return tellSentence(
        telling,
        utterance,
        block.some(({ type }) => type === "pronoun")
      )
    case "pronoun": {
      const before = block.find(({ type }) => type === "tell") as Utterance & { readonly type: "tell" }
      const named = pick(cast.people, utterance.move.who).name
      // A deployment's own texts may name other people, whom a pronoun could mean.
      const isAlone =
        before.move.whom === NONE &&
        before.move.who === utterance.move.who &&
        ownFramesOf(telling, before.move.act).length === 0
      return clause(telling, utterance.move, isAlone ? same(telling, utterance.move) : { who: named })
    }
    case "amend":
      return amended(telling, utterance)
    case "keep":
      return keepSentence(telling, utterance)
    case "cancel":
      return cancelled(telling, utterance)
    case "recant":
      return correction.recanted(random)
    case "aside":
      return remark(telling, "aside", {}) ?? correction.besides(random)
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
    case "select": {
      const [claim, yes, no] = [
        claimText(telling, utterance.claim),
        clause(telling, utterance.yes),
        clause(telling, utterance.no)
      ]
      return (
        remark(telling, "selection", { k: () => claim, y: () => yes, n: () => no }) ??
        logic.selecting(random, claim, yes, no)
      )
    }
    case "contrast": {
      const [right, wrong] = [clause(telling, utterance.right), clause(telling, utterance.wrong)]
      return remark(telling, "contrast", { r: () => right, w: () => wrong }) ?? logic.contrasting(random, right, wrong)
    }
    case "likewise": {
      const { base, move } = utterance
      const isSame = base.act === move.act
      const [who, n] = [telling.person(move.who), bare(random, move.n)]
      const slots = { p: () => who, "p's": () => pick(cast.people, move.who).name, n: () => n }
      return (
        remark(telling, isSame ? "like" : "unlike", slots) ?? (isSame ? logic.likewise : logic.opposite)(random, who, n)
      )
    }
    case "sign":
      return signs[utterance.opens ? 0 : 1]
    case "between":
      return (
        remark(telling, utterance.counts ? "within" : "between", { f: () => signs[0], t: () => signs[1] }) ??
        random.pick(utterance.counts ? WITHIN : BETWEEN)(...signs)
      )
    case "trust":
      return trusted(telling, utterance)
  }
}
