/**
 * A program against the questions that is spared the reading: it is told where each text stands (`masked.ts`) and guesses
 * the meaning of what a deployment wrote, one unknown for each text and each fact. It is no upper bound: a program that
 * learns better from few verdicts passes more (ops/docs/questions.md).
 *
 * - What it believes of an unknown is a weight for each of its values. It answers with what most of its samples answer,
 *   and never what no question of this source has for an answer.
 * - It learns from verdicts: a value under which its samples agree with the verdict more often becomes likelier. Before
 *   it is tried, it goes over all verdicts again and again, as an expectation propagation does.
 * - It begins with what words alone say: a counter of words, trained on the public texts.
 */
import type { Bank, RemarkKind } from "../../../actors/registration/questions/bank/bank.ts"
import type { Random } from "../../../actors/registration/questions/random.ts"
import type { Drafted, Family } from "../../../actors/registration/questions/family.ts"
import type { Utterance } from "../../../actors/registration/questions/story/plan.ts"
import { type Move, NONE } from "../../../actors/registration/questions/story/world.ts"
import { type Marked, marksOf, within } from "./masked.ts"

const SAMPLES = 160
const PASSES = 4
/** Weight of a likelihood that a few samples only suggest. */
const SMOOTHING = 1
const LOG_ODDS_MAX = 8

/** Weights of an unknown's values, as logarithms. */
type Weights = Float64Array

export interface Question {
  readonly family: Family
  readonly drafted: Drafted
}

/** Answers a question with values for its unknowns; null where they give none. */
type Reading = (value: (unknown: string, values: number) => number) => string | null

export class Solver {
  readonly #random: Random
  readonly #bank: Bank
  readonly #prior: (unknown: string, values: number) => Weights
  readonly #weights = new Map<string, Weights>()
  readonly #seen: Array<{ readonly reading: Reading; readonly given: string; readonly right: boolean }> = []

  /** `prior`: what is known of an unknown before any verdict; even where it says nothing. */
  constructor(random: Random, bank: Bank, prior: (unknown: string, values: number) => Weights = even) {
    this.#random = random
    this.#bank = bank
    this.#prior = prior
  }

  answer({ family, drafted }: Question): string {
    const reading = readingOf(family, drafted, this.#bank)
    const impossible = new Set([drafted.world.answer([])])
    const answers = new Map<string, number>()
    for (let sample = 0; sample < SAMPLES; sample++) {
      const answer = this.#sampled(reading).answer
      if (answer !== null && !impossible.has(answer)) answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
    return [...answers].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? "?"
  }

  /** Hears whether an answer was right. */
  told({ family, drafted }: Question, given: string, right: boolean): void {
    const verdict = { reading: readingOf(family, drafted, this.#bank), given, right }
    this.#seen.push(verdict)
    for (const [unknown, gain] of this.#gains(verdict)) add(this.#of(unknown, gain.length), gain)
  }

  /** Goes over all verdicts again. */
  study(): void {
    for (let pass = 0; pass < PASSES; pass++) {
      const sums = new Map<string, Weights>()
      for (const verdict of this.#seen) {
        for (const [unknown, gain] of this.#gains(verdict)) {
          const sum = sums.get(unknown) ?? this.#prior(unknown, gain.length).slice()
          add(sum, gain)
          sums.set(unknown, sum)
        }
      }
      for (const [unknown, sum] of sums) this.#weights.set(unknown, sum)
    }
  }

  #of(unknown: string, values: number): Weights {
    const known = this.#weights.get(unknown) ?? this.#prior(unknown, values).slice()
    this.#weights.set(unknown, known)
    return known
  }

  #drawn(weights: Weights): number {
    const most = Math.max(...weights)
    const shares = Array.from(weights, (weight) => Math.exp(weight - most))
    let left = (this.#random.int(0, 1_000_000) / 1_000_000) * shares.reduce((sum, share) => sum + share, 0)
    for (const [value, share] of shares.entries()) if ((left -= share) <= 0) return value
    return shares.length - 1
  }

  #sampled(reading: Reading): {
    readonly answer: string | null
    readonly values: ReadonlyMap<string, readonly [number, number]>
  } {
    const values = new Map<string, readonly [number, number]>()
    const answer = reading((unknown, count) => {
      const known = values.get(unknown)
      if (known !== undefined) return known[0]
      const value = this.#drawn(this.#of(unknown, count))
      values.set(unknown, [value, count])
      return value
    })
    return { answer, values }
  }

  /** For each unknown of a question, how much the verdict speaks for each of its values. */
  #gains({
    reading,
    given,
    right
  }: {
    readonly reading: Reading
    readonly given: string
    readonly right: boolean
  }): ReadonlyMap<string, Weights> {
    const agreeing = new Map<string, Float64Array>()
    const drawn = new Map<string, Float64Array>()
    let all = 0
    for (let sample = 0; sample < SAMPLES; sample++) {
      const { answer, values } = this.#sampled(reading)
      const agrees = (answer === given) === right
      if (agrees) all++
      for (const [unknown, [value, count]] of values) {
        const times = drawn.get(unknown) ?? new Float64Array(count)
        const hits = agreeing.get(unknown) ?? new Float64Array(count)
        times[value] = (times[value] ?? 0) + 1
        if (agrees) hits[value] = (hits[value] ?? 0) + 1
        drawn.set(unknown, times)
        agreeing.set(unknown, hits)
      }
    }
    const share = (all + SMOOTHING) / (SAMPLES + 2 * SMOOTHING)
    return new Map(
      [...drawn].map(([unknown, times]) => [
        unknown,
        times.map((count, value) =>
          Math.log(((agreeing.get(unknown)?.[value] ?? 0) + SMOOTHING * share) / (count + SMOOTHING) / share)
        )
      ])
    )
  }
}

const even = (_unknown: string, values: number): Weights => new Float64Array(values)

const add = (weights: Weights, gain: Weights): void => {
  for (const [value, more] of gain.entries())
    weights[value] = Math.max(-LOG_ODDS_MAX, Math.min(LOG_ODDS_MAX, (weights[value] ?? 0) + more))
}

/** How a program that knows all but meanings reads a question. */
function readingOf(
  { engine, name }: Family,
  { plan, cast, world, story }: Drafted,
  { measures, wording }: Bank
): Reading {
  /** Slots of a masked text, which the parser knows by their places alone. */
  const slots = (at: Marked | undefined): string => {
    const [, kind = "", n = "0"] = (at?.id ?? "").split(":")
    return slotOrder(wording.remarks.get(kind.replace("-", " ") as RemarkKind)?.[Number(n)] ?? "")
  }
  const marks = marksOf(story).filter(({ kind }) => kind === "c" || kind === "r")
  const tellings = marksOf(story).filter(({ kind }) => kind === "t")
  const said = plan.blocks.flat()
  const spans = spansOf(said, marks)
  const marked = [...cast.people.entries()].flatMap(([index, { mark }]) => (mark === null ? [] : [{ index, mark }]))
  const others = marked.filter(({ index }) => !world.asked.includes(index))
  return (value) => {
    const coin = (unknown: string): boolean => value(unknown, 2) === 1
    /** Whom a description means: of those that are left, one whose mark goes with it. */
    const taken = new Set<number>()
    const meant = new Map<string, number>()
    for (const { mark } of others) {
      const free = others.filter(({ index }) => !taken.has(index))
      const fits = free.find((one) => coin(`pair ${bare(one.mark.key)} ${bare(mark.value)}`)) ?? free[0]
      if (fits === undefined) continue
      taken.add(fits.index)
      meant.set(mark.value, fits.index)
    }
    const personOf = (index: number, at: ReadonlyArray<Marked>): number => {
      const described = within(at, "v").map(({ id }) => `⟦${id}⟧`)
      const mark = cast.people[index]?.mark
      return mark != null && described.includes(mark.value) ? (meant.get(mark.value) ?? index) : index
    }
    const numberOf = (n: number, at: ReadonlyArray<Marked>): number => {
      const [measure] = within(at, "m")
      if (measure === undefined) return n
      const index = Number(measure.id.slice(2))
      const believed = value(`measure ${index}`, MEASURE_MAX)
      return Math.max(1, n + believed - (measures[index]?.n ?? 0))
    }
    const moveOf = (move: Move, at: Marked): Move => ({
      ...move,
      act: move.act > 1 ? move.act : coin(at.id) ? 1 - move.act : move.act,
      who: personOf(move.who, [at]),
      whom: move.whom === NONE ? NONE : personOf(move.whom, [at]),
      n: move.n === NONE ? NONE : numberOf(move.n, [at])
    })
    const told = new Map<number, { move: Move; at: Marked; times: number }>()
    const apart: Array<Happened> = []
    const lies = new Map<number, boolean>()
    for (const [index, one] of said.entries())
      if (one.type === "trust") lies.set(one.who, coin(`lies ${spans[index]?.[0]?.id ?? ""}`))
    const betweenAt = said.findIndex(({ type }) => type === "between")
    const isSkipped = betweenAt >= 0 && coin(`skips ${spans[betweenAt]?.[0]?.id ?? ""}`)
    let inside = false
    for (const [index, one] of said.entries()) {
      const at = spans[index] ?? []
      const [first] = at
      const clauses = within(at, "c")
      const [clause, other] = clauses
      if (one.type === "sign") inside = one.opens
      else if (one.type === "tell" && clause !== undefined) {
        const counts =
          one.by !== NONE ? !(lies.get(one.by) ?? false) : one.mood === "plain" || coin(`counts ${first?.id ?? ""}`)
        told.set(one.id, {
          move: moveOf(one.move, clause),
          at: clause,
          times: counts && !(inside && isSkipped) ? 1 : 0
        })
      } else if (one.type === "pronoun" && clause !== undefined)
        told.set(one.id, { move: moveOf(one.move, clause), at: clause, times: 1 })
      else if (one.type === "select" && clause !== undefined && other !== undefined) {
        const direct = first?.inside ?? []
        const item = direct.find(({ kind }) => kind === "i")?.id ?? ""
        const claim = holds(
          item,
          direct.find(({ kind }) => kind === "w")
        )
        const moves = slots(first).indexOf("y") < slots(first).indexOf("n") ? [one.yes, one.no] : [one.no, one.yes]
        apart.push(chosen(moves, [clause, other], coin(`first ${first?.id ?? ""}`) === claim))
      } else if (one.type === "contrast" && clause !== undefined && other !== undefined) {
        const moves =
          slots(first).indexOf("r") < slots(first).indexOf("w") ? [one.right, one.wrong] : [one.wrong, one.right]
        apart.push(chosen(moves, [clause, other], coin(`first ${first?.id ?? ""}`)))
      } else if (one.type === "likewise" && first !== undefined) {
        const base = [...told.values()].at(-1)
        const act = base === undefined ? one.move.act : coin(`unlike ${first.id}`) ? 1 - base.move.act : base.move.act
        apart.push({ move: { ...one.move, act, who: personOf(one.move.who, [first]) }, at: first })
      } else if ("of" in one) {
        const entry = told.get(one.of)
        if (entry === undefined) continue
        const remark = at.find(({ kind }) => kind === "r")
        const name = remark?.id ?? ""
        if (one.type === "amend" && one.part === "act" && clauses.at(-1) !== undefined)
          entry.move = moveOf(one.move, clauses.at(-1) as Marked)
        else if (one.type === "amend" || one.type === "keep") {
          const otherMove = one.type === "amend" ? one.move : one.other
          if (coin(`replaces ${name}`))
            entry.move = {
              ...entry.move,
              ...(one.part === "n" ? { n: otherMove.n } : {}),
              ...(one.part === "what" ? { what: otherMove.what } : {}),
              ...(one.part === "who" ? { who: personOf(otherMove.who, [remark ?? NOWHERE]) } : {})
            }
        } else if (one.type === "recant") entry.times = 1
        else if (one.type === "restate" || (one.type === "cancel" && one.late)) {
          if (coin(`denies ${name}`)) entry.times = 0
        } else {
          const effect = value(`effect ${name}`, 3)
          entry.times = effect === 0 ? 0 : effect === 1 ? entry.times : 2 * entry.times
        }
      }
    }
    const moves = [
      ...[...told.values()].flatMap(({ move, at, times }) => Array.from({ length: times }, () => ({ move, at }))),
      ...apart
    ]
    if (engine === "cards") return carded()
    if (engine === "collection" && name === "stickers") return stuck()
    return world.answer(moves.map(({ move }) => move))

    function chosen(moves: ReadonlyArray<Move>, at: readonly [Marked, Marked], isFirst: boolean): Happened {
      const index = isFirst ? 0 : 1
      return { move: moveOf(moves[index] as Move, at[index] as Marked), at: at[index] as Marked }
    }
    function holds(item: string, phrase: Marked | undefined): boolean {
      const [, , property = "", side = "1"] = (phrase?.id ?? "").split(":")
      const fact = `fact ${bare(item)} ${property}`
      return coin(fact) === (side === "1")
    }
    function itemsOf(at: Marked | undefined): ReadonlyArray<string> {
      return within(at === undefined ? [] : [at], "i").map(({ id }) => id)
    }
    function startOf(): number {
      const setting = tellings.find(({ id }) => id.includes("start"))
      return Number(/\d+/.exec(setting?.text ?? "")?.[0] ?? 0)
    }
    function carded(): string | null {
      const setting = tellings.find(({ id }) => id.includes("start"))
      const question = tellings.find(({ id }) => id.includes("question"))
      const counted = name === "card-number" ? itemsOf(question) : itemsOf(setting)
      const sum = moves
        .filter(({ move }) => move.who === 0)
        .reduce((total, { move: { act, n }, at }) => {
          const [phrase] = within([at], "w")
          const touched = counted.filter((item) => holds(item, phrase)).length
          return total + (act === 0 ? n : -n) * touched
        }, startOf() * counted.length)
      return sum < 0 ? null : String(sum)
    }
    function stuck(): string | null {
      const setting = tellings.find(({ id }) => id.includes("start"))
      const question = tellings.find(({ id }) => id.includes("question"))
      const items = itemsOf(setting)
      const [phrase] = within(question === undefined ? [] : [question], "w")
      const worth = items.map((item) => holds(item, phrase))
      const counts = items.map(() => startOf())
      for (const { move } of moves)
        if (move.who === 0) counts[move.what] = (counts[move.what] ?? 0) + (move.act === 0 ? move.n : -move.n)
      if (counts.some((count) => count < 0)) return null
      return String(counts.reduce((sum, count, index) => sum + (worth[index] === true ? count : 0), 0))
    }
  }
}

interface Happened {
  readonly move: Move
  readonly at: Marked
}

/** Marks of each utterance, in the order in which things are said. */
function spansOf(said: ReadonlyArray<Utterance>, marks: ReadonlyArray<Marked>): ReadonlyArray<ReadonlyArray<Marked>> {
  let at = 0
  const spans = said.map((one) => {
    const from = at
    at += marksIn(one)
    return marks.slice(from, at)
  })
  if (at !== marks.length) throw new Error(`a masked story has ${marks.length} marks where ${at} are told`)
  return spans
}

const marksIn = (one: Utterance): number => (one.type === "recant" ? 0 : one.type === "amend" && one.late ? 2 : 1)

const slotOrder = (text: string): string => (text.match(/\{([a-z])\}/g) ?? []).join("").replace(/[{}]/g, "")

const NOWHERE: Marked = { kind: "", id: "", text: "", inside: [] }
const MEASURE_MAX = 101

const bare = (mark: string): string => mark.replace(/[⟦⟧]/g, "")
