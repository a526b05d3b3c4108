/**
 * Puts a plan into words: every utterance becomes a clause, in one of several languages, and all of them running text.
 */
import { wordingKey } from "../bank/bank.ts"
import type { Bank, RemarkKind } from "../bank/bank.ts"
import { CARDINAL, LANGUAGES, PHRASES } from "../language/foreign.ts"
import type { Language } from "../language/foreign.ts"
import * as mood from "../language/mood.ts"
import { bare, number, quantity } from "../language/quantity.ts"
import { running } from "../language/text.ts"
import type { Random } from "../random.ts"
import { described, exchanged, introduced, mentioned, pronoun } from "./cast.ts"
import type { Cast } from "./cast.ts"
import type { Claim, Plan, Utterance } from "./plan.ts"
import { NONE } from "./world.ts"
import type { Act, Move, Teller, World } from "./world.ts"

const FOREIGN_OF_TEN = 2
const ASIDE_OF_TEN = 1
const FRAMED_OF_TEN = 4
/** Where a deployment has words of its own for something, most of it is said in them. */
const OWN_OF_TEN = 8
const MAX_RETOLD = 24
/** So much over the budget that telling anew would hardly help. */
const HOPELESS = 1.2
/** What stands between two clauses, on an average. */
const JOINT_CHARS = 2
const LEAST_FOREIGN = 2
const SIGNS = [
  "a whistle blew",
  "the noon bell rang",
  "a glass broke",
  "the lights went out",
  "a shot was heard",
  "thunder rolled",
  "the gong sounded",
  "a door slammed",
  "a rooster crowed",
  "the telephone rang",
  "the curtain fell",
  "somebody sneezed",
  "a train hooted",
  "it began to hail",
  "a piano tuner knocked",
  "the soup boiled over"
]
const BETWEEN: ReadonlyArray<(from: string, to: string) => string> = [
  (from, to) => `what is told after "${from}" and before "${to}" was a mere rehearsal and does not count`,
  (from, to) => `nothing between the sentences "${from}" and "${to}" is part of the matter, so skip it`,
  (from, to) => `leave out what stands between "${from}" and "${to}", for it happened in a film`,
  (from, to) => `from "${from}" up to "${to}" I was talking about other people of the same names: ignore that stretch`
]

interface Telling extends Teller {
  readonly bank: Bank
  readonly world: World
  readonly liar: number
  readonly signs: readonly [string, string]
  /** In what language a told move was told, where it was not English. */
  readonly languages: Map<number, Language>
  /** Told moves that something said later comes back to: those are told in English, to be known again. */
  readonly recalled: ReadonlySet<number>
  /**
   * By what frame of which act such a move was told: it is spoken of by the same verb, or it would be taken for
   * another.
   */
  readonly frames: Map<string, string>
}

interface Manner {
  /** How the person who moves is called, in place of a name or description. */
  readonly who?: string
  readonly whom?: string
  /** The told move that is meant. */
  readonly of?: number
  /** Nobody else is mentioned. */
  readonly quiet?: boolean
}

const pick = <T>(items: ReadonlyArray<T>, index: number): T => items[index] as T

function onlooker({ random, cast, liar }: Telling): string {
  const people = cast.people.filter((_, index) => index !== liar).map(({ name }) => name)
  return random.pick([...people, ...cast.strangers])
}

/** The frames of an act: a deployment's own, or ours. */
function framesOf({ random, world, bank }: Telling, act: number): ReadonlyArray<string> {
  const { english } = pick(world.acts, act)
  const own = bank.wording.clauses.get(wordingKey(english)) ?? []
  return own.length > 0 && random.int(1, 10) <= OWN_OF_TEN ? own : english
}

/** A remark in a deployment's own words; null where it has none, or ours are to be used. */
function remark(
  { random, bank }: Telling,
  kind: RemarkKind,
  slots: Readonly<Record<string, () => string>>
): string | null {
  const own = bank.wording.remarks.get(kind) ?? []
  if (own.length === 0 || random.int(1, 10) > OWN_OF_TEN) return null
  return random.pick(own).replace(/\{(\w)\}/g, (_, slot: string) => slots[slot]?.() ?? "")
}

function frameOf(telling: Telling, act: number, of: number | undefined): string {
  const { random, recalled, frames } = telling
  const english = framesOf(telling, act)
  if (of === undefined || !recalled.has(of)) return random.pick(english)
  const known = frames.get(`${of} ${act}`)
  const frame = known ?? random.pick(english)
  frames.set(`${of} ${act}`, frame)
  return frame
}

function clause(telling: Telling, { act, who, whom, n, what }: Move, manner: Manner = {}): string {
  const { random, world } = telling
  const frame = frameOf(telling, act, manner.of)
  const filled = frame.replace(/\{(\w)\}/g, (_, slot: string) => {
    if (slot === "p") return manner.who ?? telling.person(who)
    if (slot === "x") return manner.whom ?? manner.who ?? telling.person(who)
    if (slot === "o") return telling.person(whom)
    if (slot === "w") return random.pick(pick(world.things, what))
    return telling.count(n)
  })
  const gaps = filled.split("|").map((part) => part.trim())
  if (gaps.length === 1 || manner.quiet === true || random.int(1, 10) > ASIDE_OF_TEN) return gaps.join(" ")
  const at = random.int(1, gaps.length - 1)
  const said = mood.aside(random, () => onlooker(telling), number(random, random.int(2, 30)))
  return `${gaps.slice(0, at).join(" ")}${said}${gaps.slice(at).join(" ")}`
}

function foreignClause(
  { random, cast, world }: Telling,
  { who, whom, n, what }: Move,
  language: Language,
  { foreign }: Act
): string {
  return (foreign?.[language] ?? "").replace(/\{(\w)\}/g, (_, slot: string) => {
    if (slot === "p") return pick(cast.people, who).name
    if (slot === "o") return pick(cast.people, whom).name
    if (slot === "w") return random.pick(pick(world.things, what))
    if (slot === "N") return world.foreignNoun?.[language] ?? ""
    return CARDINAL[language](n)
  })
}

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
    return remark(telling, "says", { p: () => who, c }) ?? mood.saying(random, who, said)
  }
  if (!real) return remark(telling, "not so", { c }) ?? mood.notCounting(random, said, () => onlooker(telling))
  if (quiet || random.int(1, 10) > FRAMED_OF_TEN) return mood.opened(random, said)
  return remark(telling, "so", { c }) ?? mood.counting(random, said, () => onlooker(telling))
}

const IN_FACT = ["the truth is that", "in fact", "it should read:", "what really happened is that"]

function amended(telling: Telling, { of, move, from, part, late }: Utterance & { readonly type: "amend" }): string {
  const { random, world } = telling
  const language = telling.languages.get(of)
  if (part === "act") {
    const right = clause(telling, move)
    return late
      ? mood.late(random, clause(telling, from, { of }), `${random.pick(IN_FACT)} ${right}`)
      : mood.retold(random, right)
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
  const amendment = remark(telling, "instead", { w: () => wrong, r: () => right }) ?? mood.instead(random, wrong, right)
  return late ? mood.late(random, clause(telling, from, { of }), amendment) : amendment
}

function cancelled(telling: Telling, { of, move, how, late }: Utterance & { readonly type: "cancel" }): string {
  const { random } = telling
  if (late) {
    const denied = clause(telling, move, { of })
    return remark(telling, "denied", { c: () => denied }) ?? mood.denied(random, denied)
  }
  const language = telling.languages.get(of)
  if (language !== undefined) return random.pick(how === "undone" ? PHRASES[language].undone : PHRASES[language].forget)
  return how === "undone"
    ? (remark(telling, "undone", {}) ?? mood.undone(random))
    : (remark(telling, "forget", {}) ?? mood.forgetting(random))
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
  return mood.claiming(random, item, random.pick(side ? is : not))
}

function said(telling: Telling, utterance: Utterance, block: ReadonlyArray<Utterance>): string {
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
        ? (remark(telling, "again", {}) ?? mood.again(random))
        : random.pick(PHRASES[language].again)
    }
    case "restate": {
      const again = clause(telling, utterance.move, { of: utterance.of })
      return remark(telling, "restated", { c: () => again }) ?? mood.restated(random, again)
    }
    case "select":
      return mood.selecting(
        random,
        claimText(telling, utterance.claim),
        clause(telling, utterance.yes),
        clause(telling, utterance.no)
      )
    case "contrast": {
      const [right, wrong] = [clause(telling, utterance.right), clause(telling, utterance.wrong)]
      return remark(telling, "contrast", { r: () => right, w: () => wrong }) ?? mood.contrasting(random, right, wrong)
    }
    case "likewise": {
      const { base, move } = utterance
      return (base.act === move.act ? mood.likewise : mood.opposite)(
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
        mood.distrusting(random, telling.person(utterance.who), telling.person(honest))
      )
    }
  }
}

/** Marks of the people, each a clause; two of them may be told the wrong way round and set right. */
function introductions(random: Random, { people }: Cast): ReadonlyArray<() => string> {
  const marked = people.flatMap((person) => (person.mark === null ? [] : [{ person, mark: person.mark }]))
  const one = random.pick(marked)
  const other = marked.find(({ person, mark }) => person !== one.person && mark.relation === one.mark.relation)
  const rest =
    random.int(0, 2) > 0 || other === undefined ? marked : marked.filter((item) => item !== one && item !== other)
  const alone = rest.map(
    ({ person, mark }) =>
      () =>
        introduced(random, person, mark)
  )
  return other === undefined || rest === marked
    ? alone
    : [...alone, () => exchanged(random, one.person, other.person, one.mark, other.mark)]
}

type Say = () => ReadonlyArray<string>

const length = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + text.length + JOINT_CHARS, 0)

/**
 * What is said, the longest of it told anew in other words as long as all of it is over the budget; null where that
 * does not help.
 */
function within(budget: number, blocks: ReadonlyArray<Say>): ReadonlyArray<ReadonlyArray<string>> | null {
  const texts = blocks.map((say) => say())
  let total = texts.reduce((sum, block) => sum + length(block), 0)
  if (total > budget * HOPELESS) return null
  for (let retold = 0; total > budget; retold++) {
    if (retold === MAX_RETOLD) return null
    const longest = texts.reduce((most, block, index) => (length(block) > length(texts[most] ?? []) ? index : most), 0)
    // Now and then another, for the longest may be as short as it can be.
    const index = retold % 2 === 1 ? (longest + retold) % texts.length : longest
    const other = pick(blocks, index)()
    const saved = length(pick(texts, index)) - length(other)
    if (saved <= 0) continue
    total -= saved
    texts[index] = other
  }
  return texts
}

/** The whole text without noise, of at most `maxChars`; null where the plan is too much for them. */
export function storyText(
  random: Random,
  bank: Bank,
  cast: Cast,
  world: World,
  plan: Plan,
  maxChars: number
): string | null {
  const telling: Telling = {
    random,
    bank,
    cast,
    world,
    liar: plan.liar,
    languages: new Map(),
    frames: new Map(),
    recalled: new Set(
      plan.blocks
        .flat()
        .flatMap((one) =>
          one.type === "restate" || ((one.type === "amend" || one.type === "cancel") && one.late) ? [one.of] : []
        )
    ),
    signs: random.sample(SIGNS, 2) as [string, string],
    person: (index) => mentioned(random, pick(cast.people, index)),
    count: (n, noun = world.noun) => quantity(random, n, noun, bank.measures)
  }
  const question = world.question({ ...telling, person: (index) => described(random, pick(cast.people, index)) })
  const blocks: Array<Say> = plan.blocks.map((block) => () => block.map((utterance) => said(telling, utterance, block)))
  for (const introduction of introductions(random, cast))
    blocks.splice(random.int(0, blocks.length), 0, () => [introduction()])
  blocks.splice(random.int(0, 1) === 0 ? 0 : random.int(0, blocks.length), 0, () => world.setting(telling))
  const texts = within(maxChars - question.length, blocks)
  if (texts === null) return null
  const body = running(random, texts.flat())
  return random.int(0, 1) === 0 ? `${question} ${body}` : `${body} ${question}`
}
