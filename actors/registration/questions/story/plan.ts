/**
 * The plan of a story: which moves happen, and by which detours they are told.
 *
 * - A beat knows what it counts for (`counted`) and what it counts for when its detour is missed (`misread`). For
 *   at least as many beats as the world wants, missing the detour, or the beat, changes the answer by itself.
 * - Utterances are what is said, in order, without words. Read in order by the rules that `Utterance` states they give
 *   the counted moves again; the tests do that.
 */
import type { Bank } from "../bank/bank.ts"
import type { Random } from "../random.ts"
import { NONE } from "./world.ts"
import type { Move, Part, World } from "./world.ts"

/**
 * - `tell` counts unless it is not `real`, is said `by` the liar, or stands between the two signs.
 * - `amend` puts `move` in the place of told move `of`; `cancel` takes it away; `repeat` makes it happen twice;
 *   `restate` changes nothing.
 * - `select` is `yes` where the claim holds by common sense and `no` where not; of a `contrast` the right one counts.
 * - `likewise` is told by what happened to somebody else (`base`, told right before): the same, or its opposite, with
 *   another number.
 * - `distrust` names the liar; `sign` opens or closes what does not count, `between` says so.
 */
export type Utterance =
  | { readonly type: "tell"; readonly id: number; readonly move: Move; readonly real: boolean; readonly by: number }
  | {
      readonly type: "amend"
      readonly of: number
      readonly move: Move
      readonly from: Move
      readonly part: Part
      readonly late: boolean
    }
  | {
      readonly type: "cancel"
      readonly of: number
      readonly move: Move
      readonly how: "taken back" | "undone"
      readonly late: boolean
    }
  | { readonly type: "repeat"; readonly of: number }
  | { readonly type: "restate"; readonly of: number; readonly move: Move }
  | { readonly type: "pronoun"; readonly id: number; readonly move: Move }
  | { readonly type: "select"; readonly claim: Claim; readonly yes: Move; readonly no: Move }
  | { readonly type: "contrast"; readonly right: Move; readonly wrong: Move }
  | { readonly type: "likewise"; readonly base: Move; readonly move: Move }
  | { readonly type: "sign"; readonly opens: boolean }
  | { readonly type: "distrust"; readonly who: number }
  | { readonly type: "between" }

/** That the item has the property, or has it not; whether that is so stands in the bank. */
export interface Claim {
  readonly matrix: string
  readonly item: string
  readonly property: string
  readonly side: boolean
}

export interface Beat {
  /** Said together. */
  readonly first: ReadonlyArray<Utterance>
  /** Said some time afterwards. */
  readonly later: Utterance | null
  readonly counted: ReadonlyArray<Move>
  readonly misread: ReadonlyArray<Move>
}

export interface Plan {
  /** Utterances in order; those of one block are said in one breath. */
  readonly blocks: ReadonlyArray<ReadonlyArray<Utterance>>
  readonly liar: number
  readonly answer: string
  /** How many beats change the answer when they are missed or misread. */
  readonly telling: number
}

/** Of the beats at least as many tell, where a world asks for no other number. */
export const MIN_TELLING = 6
const ATTEMPTS = 400

interface Drafting {
  readonly bank: Bank
  readonly random: Random
  readonly world: World
  readonly liar: number
  readonly speakers: ReadonlyArray<number>
  readonly fresh: (about: number) => Move
  readonly id: () => number
}

const key = ({ act, who, whom, n, what }: Move): string => `${act} ${who} ${whom} ${what} ${n}`

/** Told moves differ in what they say, and in their numbers too as long as there are some left. */
function freshMoves(random: Random, world: World): (about: number) => Move {
  const told = new Set<string>()
  const numbers = new Set<number>()
  return (about) => {
    for (let attempt = 0; ; attempt++) {
      const move = world.draw(random, about)
      if (told.has(key(move)) && attempt < ATTEMPTS) continue
      if (move.n !== NONE && numbers.has(move.n) && attempt < 20) continue
      told.add(key(move))
      numbers.add(move.n)
      return move
    }
  }
}

const tell = ({ id }: Drafting, move: Move, real = true, by = NONE): Utterance & { readonly type: "tell" } => ({
  type: "tell",
  id: id(),
  move,
  real,
  by
})

/** The move with one part told wrongly. */
function wrongly(d: Drafting, move: Move): { readonly from: Move; readonly part: Part } {
  const part = d.random.pick(d.world.parts)
  for (;;) {
    const other = d.fresh(move.who)
    if (part === "act" && other.act !== move.act) return { from: other, part }
    if (part === "n" && other.n !== move.n) return { from: { ...move, n: other.n }, part }
    if (part === "what" && other.what !== move.what) return { from: { ...move, what: other.what }, part }
    if (part === "who") {
      const others = [...d.world.asked, ...d.world.others].filter((who) => who !== move.who && who !== move.whom)
      if (others.length > 0) return { from: { ...move, who: d.random.pick(others) }, part }
      return { from: { ...move, n: other.n }, part: "n" }
    }
    if (part === "act" && d.world.acts.length < 2) return { from: { ...move, n: other.n }, part: "n" }
  }
}

type Maker = (d: Drafting, move: Move) => Beat

const plain: Maker = (d, move) => {
  const by = d.random.int(0, 4) === 0 ? d.random.pick(d.speakers) : NONE
  return { first: [tell(d, move, true, by)], later: null, counted: [move], misread: [] }
}
const unreal: Maker = (d, move) => ({ first: [tell(d, move, false)], later: null, counted: [], misread: [move] })
const lied: Maker = (d, move) => ({ first: [tell(d, move, true, d.liar)], later: null, counted: [], misread: [move] })
const between: Maker = (d, move) => ({
  first: [{ type: "sign", opens: true }, tell(d, move), { type: "sign", opens: false }],
  later: null,
  counted: [],
  misread: [move]
})

const amended =
  (late: boolean): Maker =>
  (d, move) => {
    const { from, part } = wrongly(d, move)
    const told = tell(d, from)
    const amend: Utterance = { type: "amend", of: told.id, move, from, part, late }
    return { first: late ? [told] : [told, amend], later: late ? amend : null, counted: [move], misread: [from] }
  }
const cancelled =
  (how: "taken back" | "undone", late: boolean): Maker =>
  (d, move) => {
    const told = tell(d, move)
    const cancel: Utterance = { type: "cancel", of: told.id, move, how, late }
    return { first: late ? [told] : [told, cancel], later: late ? cancel : null, counted: [], misread: [move] }
  }
const repeated: Maker = (d, move) => {
  const told = tell(d, move)
  return { first: [told, { type: "repeat", of: told.id }], later: null, counted: [move, move], misread: [move] }
}
const restated: Maker = (d, move) => {
  const told = tell(d, move)
  return { first: [told], later: { type: "restate", of: told.id, move }, counted: [move], misread: [move, move] }
}
/** Two moves of one person, the second with a pronoun. */
const pronouns: Maker = (d, move) => {
  const second = d.fresh(move.who)
  const told = tell(d, move)
  return {
    first: [told, { type: "pronoun", id: d.id(), move: second }],
    later: null,
    counted: [move, second],
    misread: [move]
  }
}

function claimed({ random, bank }: Drafting): { readonly claim: Claim; readonly holds: boolean } {
  const { name, items, properties } = random.pick(bank.matrices)
  const property = random.pick(properties)
  const side = random.int(0, 1) === 0
  const wanted = random.int(0, 1) === 0
  // As many of those that have it as of those that have not: most things have few of the properties.
  const item = random.pick(items.filter((one) => property.yes.has(one) === wanted && !property.unsure.has(one)))
  return { claim: { matrix: name, item, property: property.name, side }, holds: wanted === side }
}

const selected: Maker = (d, move) => {
  const { claim, holds } = claimed(d)
  const other = d.fresh(move.who)
  const [yes, no] = holds ? [move, other] : [other, move]
  return { first: [{ type: "select", claim, yes, no }], later: null, counted: [move], misread: [other] }
}
const contrasted: Maker = (d, move) => {
  const wrong = d.fresh(move.who)
  return { first: [{ type: "contrast", right: move, wrong }], later: null, counted: [move], misread: [wrong] }
}
/** Told by what happened to somebody else; where that is no simple change, plainly. */
const likened: Maker = (d, move) => {
  const [other] = d.world.others
  if (other === undefined || d.world.things.length > 0 || move.act > 1) return contrasted(d, move)
  const base = { ...d.fresh(other), act: d.random.int(0, 1), who: other, whom: NONE }
  return {
    first: [tell(d, base), { type: "likewise", base, move }],
    later: null,
    counted: [base, move],
    misread: [base]
  }
}

const DETOUR: ReadonlyArray<Maker> = [
  amended(false),
  amended(true),
  cancelled("taken back", false),
  cancelled("taken back", true),
  cancelled("undone", false),
  repeated,
  restated,
  pronouns
]

/** Ways to tell one move by a detour. */
export const DETOUR_COUNT = DETOUR.length

function beatsOf(d: Drafting): Array<Beat> {
  const { random, world, fresh } = d
  const asked = (): Move => fresh(random.pick(world.asked))
  const beats: Array<Beat> = []
  const detours = random.int(0, 5) === 0 ? [between] : random.sample(DETOUR, 1)
  const makers = world.wordy
    ? [world.things.length > 0 ? contrasted : random.pick([selected, contrasted]), ...detours, plain, unreal, lied]
    : [selected, random.pick([contrasted, likened, likened]), ...detours, plain, unreal, lied]
  for (const make of makers) beats.push(make(d, asked()))
  return random.shuffle(beats)
}

/** Beats that change the answer when they alone are missed or misread. */
function tellingOf(world: World, beats: ReadonlyArray<Beat>, answer: string): number {
  return beats.filter((beat) => {
    const without = (moves: ReadonlyArray<Move>): string | null =>
      world.answer(beats.flatMap((other) => (other === beat ? moves : other.counted)))
    return beat.misread.length > 0 ? without(beat.misread) !== answer : without([]) !== answer
  }).length
}

/** A draft that the world finds possible and in which enough is told that matters; null where it was not. */
export function planOf(
  random: Random,
  world: World,
  bank: Bank,
  liar: number,
  speakers: ReadonlyArray<number>
): Plan | null {
  let ids = 0
  const d: Drafting = { random, world, bank, liar, speakers, fresh: freshMoves(random, world), id: () => ids++ }
  const beats = beatsOf(d)
  const answer = world.answer(beats.flatMap(({ counted }) => counted))
  if (answer === null) return null
  const telling = tellingOf(world, beats, answer)
  if (telling < world.minTelling) return null
  return { blocks: inOrder(random, beats, liar), liar, answer, telling }
}

/** What is said later stands behind its beat, and nothing comes between utterances that belong together. */
function inOrder(random: Random, beats: ReadonlyArray<Beat>, liar: number): ReadonlyArray<ReadonlyArray<Utterance>> {
  const blocks: Array<ReadonlyArray<Utterance>> = beats.map(({ first }) => first)
  for (const { first, later } of beats) {
    if (later !== null) blocks.splice(random.int(blocks.indexOf(first) + 1, blocks.length), 0, [later])
  }
  const remarks: Array<Utterance> = [{ type: "distrust", who: liar }]
  if (beats.some(({ first }) => first[0]?.type === "sign")) remarks.push({ type: "between" })
  for (const remark of remarks) blocks.splice(random.int(0, blocks.length), 0, [remark])
  return blocks
}
