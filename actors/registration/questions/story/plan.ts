/**
 * The plan of a story: the moves that happen, and the detours by which they are told.
 *
 * - A beat is one or two moves with their detour. It has the moves that it counts for (`counted`), and those that it
 *   counts for if its detour is missed or misunderstood (`misread`). For at least `MIN_TELLING` beats, misreading that
 *   beat alone changes the answer.
 * - No number is fixed: there are four or five beats, and each counts or not by chance. All speakers may be liars, all
 *   honest, or some of each. A later sentence may change an earlier one or not. Neither position nor count reveals what
 *   is meant.
 * - Utterances are the statements in order, without words. Read by the rules of `Utterance`, they result in the counted
 *   moves; the tests check this.
 */
import type { Bank } from "../bank/bank.ts"
import type { Random } from "../random.ts"
import { NONE } from "./world.ts"
import type { Move, Part, World } from "./world.ts"

/** The frame of a clause. With `so` and `plain` it counts, with `not so` it does not. */
type Mood = "plain" | "so" | "not so"

/**
 * - `tell` counts unless its mood is `not so`, it is said `by` a liar, or it is between two signs that enclose nothing
 *   that counts.
 * - `amend` replaces told move `of` by `move`. `keep` confirms `move` against another version of it. `cancel` removes
 *   told move `of`, and `recant` takes the removal back. `repeat` makes it happen twice. `restate` and `aside` change
 *   nothing. `pronoun` tells a second move of the same person.
 * - `select` means `yes` if the claim is true by common sense, and `no` otherwise. In a `contrast`, the right move
 *   counts.
 * - `likewise` is told by comparison with another person's move (`base`, told right before): the same, or the opposite,
 *   with another number.
 * - `trust` says that a person always lies or never does. `sign` opens or closes a part of the story, and `between`
 *   says if that part counts.
 */
export type Utterance =
  | { readonly type: "tell"; readonly id: number; readonly move: Move; readonly mood: Mood; readonly by: number }
  | {
      readonly type: "amend"
      readonly of: number
      readonly move: Move
      readonly from: Move
      readonly part: Part
      readonly late: boolean
    }
  | {
      readonly type: "keep"
      readonly of: number
      readonly move: Move
      readonly other: Move
      readonly part: Part
    }
  | {
      readonly type: "cancel"
      readonly of: number
      readonly move: Move
      readonly how: "taken back" | "undone"
      readonly late: boolean
    }
  | { readonly type: "recant"; readonly of: number }
  | { readonly type: "repeat"; readonly of: number }
  | { readonly type: "aside"; readonly of: number }
  | { readonly type: "restate"; readonly of: number; readonly move: Move }
  | { readonly type: "pronoun"; readonly id: number; readonly move: Move }
  | { readonly type: "select"; readonly claim: Claim; readonly yes: Move; readonly no: Move }
  | { readonly type: "contrast"; readonly right: Move; readonly wrong: Move }
  | { readonly type: "likewise"; readonly base: Move; readonly move: Move }
  | { readonly type: "sign"; readonly opens: boolean }
  | { readonly type: "trust"; readonly who: number; readonly lies: boolean }
  | { readonly type: "between"; readonly counts: boolean }

/**
 * The claim that the item has the property (`side` is true), or does not have it (false). The bank knows if this is
 * true.
 */
export interface Claim {
  readonly matrix: string
  readonly item: string
  readonly property: string
  readonly side: boolean
}

interface Beat {
  /** Utterances that are told together, except `between`, which may come anywhere. */
  readonly first: ReadonlyArray<Utterance>
  /** Utterances that are told together, some time after `first`. */
  readonly later: ReadonlyArray<Utterance>
  readonly counted: ReadonlyArray<Move>
  readonly misread: ReadonlyArray<Move>
}

export interface Plan {
  /** Utterances in order. Those of one block are told together. */
  readonly blocks: ReadonlyArray<ReadonlyArray<Utterance>>
  readonly answer: string
  /** The number of beats that change the answer if they are missed or misread. */
  readonly telling: number
}

export interface Speakers {
  readonly all: ReadonlyArray<number>
  readonly liars: ReadonlySet<number>
}

/** The least number of beats that must change the answer, each by itself, if they are missed or misread. */
export const MIN_TELLING = 4
const ATTEMPTS = 400

interface Drafting {
  readonly bank: Bank
  readonly random: Random
  readonly world: World
  readonly speakers: Speakers
  readonly fresh: (about: number) => Move
  readonly id: () => number
}

const key = ({ act, who, whom, n, what }: Move): string => `${act} ${who} ${whom} ${what} ${n}`

/** Draws moves that differ, and with different numbers, as long as such moves can be drawn. */
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

type TellUtterance = Utterance & { readonly type: "tell" }

const tellMove = ({ id }: Drafting, move: Move, mood: Mood = "plain", by = NONE): TellUtterance => ({
  type: "tell",
  id: id(),
  move,
  mood,
  by
})

/**
 * True if a deployment has its own texts, which its denials show. Then some detours are left out, because their public
 * texts would reveal the meaning of a private one: corrections of an act, late corrections, and denials that are taken
 * back.
 */
const isOwn = ({ bank }: Drafting): boolean => bank.wording.remarks.has("denied")

function wrongly(d: Drafting, move: Move): { readonly from: Move; readonly part: Part } {
  const part = d.random.pick(isOwn(d) ? d.world.parts.filter((one) => one !== "act") : d.world.parts)
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

const chance = ({ random }: Drafting): boolean => random.int(0, 1) === 0

/** A beat without later utterances. Its move counts or does not. */
const counting = (first: ReadonlyArray<Utterance>, move: Move, counts: boolean): Beat => ({
  first,
  later: [],
  counted: counts ? [move] : [],
  misread: counts ? [] : [move]
})

const framed: Maker = (d, move) => {
  const counts = chance(d)
  return counting([tellMove(d, move, counts ? "so" : "not so")], move, counts)
}
const tellBy: Maker = (d, move) => {
  const able = d.speakers.all.filter((who) => who !== move.who && who !== move.whom)
  if (able.length === 0) return framed(d, move)
  const by = d.random.pick(able)
  return counting([tellMove(d, move, "plain", by)], move, !d.speakers.liars.has(by))
}
const enclosed: Maker = (d, move) => {
  const counts = chance(d)
  return counting(
    [{ type: "sign", opens: true }, tellMove(d, move), { type: "sign", opens: false }, { type: "between", counts }],
    move,
    counts
  )
}
/** A move of a person whom the question is not about. */
const elsewhere: Maker = (d, move) => {
  const others = d.world.others.filter((who) => who !== move.whom)
  if (others.length === 0) return framed(d, move)
  const other = { ...move, who: d.random.pick(others) }
  const mood = d.random.pick(["plain", "so", "not so"] as const)
  return { first: [tellMove(d, other, mood)], later: [], counted: mood === "not so" ? [] : [other], misread: [move] }
}

const amended: Maker = (d, move) => {
  const { from, part } = wrongly(d, move)
  const told = tellMove(d, from)
  const amend: Utterance = { type: "amend", of: told.id, move, from, part, late: false }
  return { first: [told, amend], later: [], counted: [move], misread: [from] }
}
const amendedLate: Maker = (d, move) => {
  const { from, part } = wrongly(d, move)
  const told = tellMove(d, from)
  const amend: Utterance = { type: "amend", of: told.id, move, from, part, late: true }
  return { first: [told], later: [amend], counted: [move], misread: [from] }
}
const keptMove: Maker = (d, move) => {
  const { from: other, part } = wrongly(d, move)
  const told = tellMove(d, move)
  if (part === "act") return { first: [told, { type: "aside", of: told.id }], later: [], counted: [move], misread: [] }
  return {
    first: [told, { type: "keep", of: told.id, move, other, part }],
    later: [],
    counted: [move],
    misread: [other]
  }
}
const cancelled =
  (how: "taken back" | "undone"): Maker =>
  (d, move) => {
    const told = tellMove(d, move)
    return counting([told, { type: "cancel", of: told.id, move, how, late: false }], move, false)
  }
const deniedLate: Maker = (d, move) => {
  const told = tellMove(d, move)
  return {
    first: [told],
    later: [{ type: "cancel", of: told.id, move, how: "taken back", late: true }],
    counted: [],
    misread: [move]
  }
}
const recanted: Maker = (d, move) => {
  const told = tellMove(d, move)
  return {
    first: [told],
    later: [
      { type: "cancel", of: told.id, move, how: "taken back", late: true },
      { type: "recant", of: told.id }
    ],
    counted: [move],
    misread: []
  }
}
const repeated: Maker = (d, move) => {
  const told = tellMove(d, move)
  return { first: [told, { type: "repeat", of: told.id }], later: [], counted: [move, move], misread: [move] }
}
const remarked: Maker = (d, move) => {
  const told = tellMove(d, move)
  return counting([told, { type: "aside", of: told.id }], move, true)
}
const restated: Maker = (d, move) => {
  const told = tellMove(d, move)
  return {
    first: [told],
    later: [{ type: "restate", of: told.id, move }],
    counted: [move],
    misread: [move, move]
  }
}
/** Two moves of one person, of which the second uses a pronoun. */
const pronouns: Maker = (d, move) => {
  const second = d.fresh(move.who)
  const told = tellMove(d, move)
  return {
    first: [told, { type: "pronoun", id: d.id(), move: second }],
    later: [],
    counted: [move, second],
    misread: [move]
  }
}

function claimed({ random, bank }: Drafting): { readonly claim: Claim; readonly holds: boolean } {
  const { name, items, properties } = random.pick(bank.matrices)
  const side = random.int(0, 1) === 0
  // Items with the property are drawn as often as items without it, although most items have few of the properties.
  const wanted = random.int(0, 1) === 0
  const known = properties.flatMap((property) => {
    const fitting = items.filter((one) => property.yes.has(one) === wanted && !property.unsure.has(one))
    return fitting.length > 0 ? [{ property, fitting }] : []
  })
  const { property, fitting } = random.pick(known)
  const item = random.pick(fitting)
  return { claim: { matrix: name, item, property: property.name, side }, holds: wanted === side }
}

const selected: Maker = (d, move) => {
  const { claim, holds } = claimed(d)
  const other = d.fresh(move.who)
  const [yes, no] = holds ? [move, other] : [other, move]
  return { first: [{ type: "select", claim, yes, no }], later: [], counted: [move], misread: [other] }
}
const contrasted: Maker = (d, move) => {
  const wrong = d.fresh(move.who)
  return { first: [{ type: "contrast", right: move, wrong }], later: [], counted: [move], misread: [wrong] }
}
/**
 * A move told by comparison with another person's move. If there is no other person to compare with, if the act has no
 * opposite, or if the world has things, it is told by contrast.
 */
const likened: Maker = (d, move) => {
  const [other] = d.world.others
  if (other === undefined || d.world.things.length > 0 || move.act > 1) return contrasted(d, move)
  const base = { ...d.fresh(other), act: d.random.int(0, 1), who: other, whom: NONE }
  return {
    first: [tellMove(d, base), { type: "likewise", base, move }],
    later: [],
    counted: [base, move],
    misread: [base, { ...move, act: 1 - move.act }]
  }
}

/** Makers of beats whose second utterance refers to the first. */
const FOLLOWED: ReadonlyArray<Maker> = [
  amended,
  keptMove,
  cancelled("taken back"),
  cancelled("undone"),
  repeated,
  remarked
]
const LATER: ReadonlyArray<Maker> = [amendedLate, deniedLate, deniedLate, recanted, restated, restated]
const LATER_OWN: ReadonlyArray<Maker> = [deniedLate, restated]

function beatsOf(d: Drafting): Array<Beat> {
  const { random, world, fresh } = d
  const chosen = world.things.length > 0 ? [selected, contrasted] : [selected, contrasted, likened]
  const followed: Maker = (_, move) => random.pick(FOLLOWED)(d, move)
  const later: Maker = (_, move) => random.pick(isOwn(d) ? LATER_OWN : LATER)(d, move)
  const choosing: Maker = (_, move) => random.pick(chosen)(d, move)
  const makers = [
    random.pick([framed, tellBy]),
    random.pick([framed, tellBy]),
    followed,
    random.pick([choosing, later, enclosed]),
    ...(random.int(0, 1) === 0 ? [] : [random.pick([framed, tellBy, followed, later, pronouns, elsewhere])])
  ]
  return random.shuffle(makers.map((make) => make(d, fresh(random.pick(world.asked)))))
}

/** The moves as first told, without later corrections. Moves told by comparison (`likewise`) are left out. */
const asTold = (beats: ReadonlyArray<Beat>): ReadonlyArray<Move> =>
  beats.flatMap(({ first }) =>
    first.flatMap((one) => {
      if (one.type === "tell" || one.type === "pronoun") return [one.move]
      if (one.type === "select") return [one.yes, one.no]
      return one.type === "contrast" ? [one.right, one.wrong] : []
    })
  )

/** The number of beats that change the answer if only they are missed or misread. */
function tellingOf(world: World, beats: ReadonlyArray<Beat>, answer: string): number {
  return beats.filter((beat) => {
    const without = (moves: ReadonlyArray<Move>): string | null =>
      world.answer(beats.flatMap((other) => (other === beat ? moves : other.counted)))
    return beat.misread.length > 0 ? without(beat.misread) !== answer : without([]) !== answer
  }).length
}

/**
 * Draws a plan. Null if its moves are impossible, if too few beats change the answer, or if the answer is the same
 * without any move or with all moves as first told.
 */
export function planOf(random: Random, world: World, bank: Bank, speakers: Speakers): Plan | null {
  let ids = 0
  const d: Drafting = { random, world, bank, speakers, fresh: freshMoves(random, world), id: () => ids++ }
  const beats = beatsOf(d)
  const answer = world.answer(beats.flatMap(({ counted }) => counted))
  if (answer === null || answer === world.answer([]) || answer === world.answer(asTold(beats))) return null
  const telling = tellingOf(world, beats, answer)
  if (telling < MIN_TELLING) return null
  return { blocks: inOrder(random, beats, speakers), answer, telling }
}

/**
 * Puts utterances into order. Later utterances come anywhere after their beat, and `trust` and `between` anywhere.
 * Nothing comes between utterances of one block.
 */
function inOrder(
  random: Random,
  beats: ReadonlyArray<Beat>,
  { all, liars }: Speakers
): ReadonlyArray<ReadonlyArray<Utterance>> {
  const isApart = ({ type }: Utterance): boolean => type === "between"
  const firsts = beats.map(({ first }) => first.filter((one) => !isApart(one)))
  const blocks: Array<ReadonlyArray<Utterance>> = [...firsts]
  for (const [index, { later }] of beats.entries()) {
    const after = blocks.indexOf(firsts[index] ?? [])
    if (later.length > 0) blocks.splice(random.int(after + 1, blocks.length), 0, later)
  }
  const quoted = new Set(blocks.flat().flatMap((one) => (one.type === "tell" ? [one.by] : [])))
  const trusts = all
    .filter((who) => quoted.has(who) || random.int(0, 2) === 0)
    .map((who): Utterance => ({ type: "trust", who, lies: liars.has(who) }))
  for (const remark of [...trusts, ...beats.flatMap(({ first }) => first.filter(isApart))])
    blocks.splice(random.int(0, blocks.length), 0, [remark])
  return blocks
}
