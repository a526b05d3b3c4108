/**
 * A program that answers questions without reading the private texts. It is told where each text begins and ends
 * (`masked.ts`). It guesses the meaning of a deployment's texts, with one unknown for each text, each fact and each
 * count.
 *
 * - It has a probability for each value of an unknown. It weighs all ways to read a question that differ in the most
 *   uncertain unknowns. It gives the likeliest answer that a question of this source can have.
 * - It learns from verdicts by Bayes' rule: values that agree with the verdict become likelier. Before it is measured,
 *   it goes over all verdicts again.
 * - At the start it uses word lists with negations, and the counts of the public bank.
 */
import type { Bank, RemarkKind } from "../../../actors/registration/questions/bank/bank.ts"
import type { Drafted, Family } from "../../../actors/registration/questions/family.ts"
import type { Utterance } from "../../../actors/registration/questions/story/plan.ts"
import { type Move, NONE } from "../../../actors/registration/questions/story/world.ts"
import { type MarkedSlot, marksOf, within } from "./masked.ts"

const PASSES = 1
/** The most ways to read one question that are compared. */
const WAYS_MAX = 512
/** An unknown is settled if one of its values has this probability. */
const CERTAIN = 0.975
/**
 * The share of verdicts that may contradict all ways: unknowns beyond `WAYS_MAX` are fixed to their likeliest value.
 */
const UNSURE = 0.02
/** The least probability of a value, so that it can become likelier again. */
const LEAST = 0.004
/** The least probability of a value of a count, which has many. */
const LEAST_OF_COUNT = 1e-4
/** Counts are at most 100. */
const COUNT_VALUES = 101

/** The weights of an unknown's values, as logarithms. */
type Weights = Float64Array

export interface Question {
  readonly family: Family
  readonly drafted: Drafted
}

/** Evaluates a story with values for its unknowns. Returns null if no question of this source has such a result. */
type Reading<End> = (value: (unknown: string, values: number) => number) => End | null

/** A question as the solver sees it: its story's possible results, and the unknown counts that are added. */
interface Task {
  readonly reading: Reading<number>
  readonly counts: ReadonlyArray<string>
}

interface Verdict extends Task {
  readonly given: number
  readonly right: boolean
}

interface Interpretation {
  readonly end: number | null
  readonly share: number
  readonly values: ReadonlyArray<number>
}

interface Ways {
  readonly doubts: ReadonlyArray<string>
  readonly ways: ReadonlyArray<Interpretation>
}

export class Solver {
  readonly #bank: Bank
  readonly #prior: (unknown: string, values: number) => Weights
  readonly #shares = new Map<string, ReadonlyArray<number>>()
  readonly #seen: Array<Verdict> = []
  readonly #given = new WeakMap<Question, number>()

  /** `prior` gives the weights of an unknown before any verdict, as logarithms. */
  constructor(bank: Bank, prior: (unknown: string, values: number) => Weights) {
    this.#bank = bank
    this.#prior = prior
  }

  answer(question: Question): string {
    const { reading, counts } = taskOf(question, this.#bank)
    const sums = this.#sumsOf(counts)
    const ends = endsOf(this.#waysOf(reading))
    if (ends.size === 0) return "?"
    const answers = new Float64Array(Math.max(...ends.keys()) + sums.length)
    for (const [end, share] of ends)
      for (const [sum, more] of sums.entries()) answers[end + sum] = (answers[end + sum] ?? 0) + share * more
    const likeliest = answers.indexOf(Math.max(...answers))
    this.#given.set(question, likeliest)
    return question.drafted.addition.scale.at(likeliest) ?? "?"
  }

  /** Learns from the verdict on its answer to the question. */
  told(question: Question, right: boolean): void {
    const given = this.#given.get(question)
    if (given === undefined) return
    const verdict = { ...taskOf(question, this.#bank), given, right }
    this.#seen.push(verdict)
    this.#learn(verdict)
  }

  study(): void {
    for (let pass = 0; pass < PASSES; pass++) for (const verdict of this.#seen) this.#learn(verdict)
  }

  #of(unknown: string, values: number): ReadonlyArray<number> {
    const known = this.#shares.get(unknown)
    if (known !== undefined) return known
    const first = sharesOf(Array.from(this.#prior(unknown, values), Math.exp))
    this.#shares.set(unknown, first)
    return first
  }

  /** The probability of each sum of the counts. */
  #sumsOf(counts: ReadonlyArray<string>): ReadonlyArray<number> {
    let sums: ReadonlyArray<number> = [1]
    for (const count of counts) {
      const next = Array.from({ length: sums.length + COUNT_VALUES }, () => 0)
      for (const [sum, share] of sums.entries())
        for (const [n, more] of this.#of(count, COUNT_VALUES).entries())
          next[sum + n] = (next[sum + n] ?? 0) + share * more
      sums = next
    }
    return sums
  }

  /** All combinations of values of the most uncertain unknowns. Other unknowns have their likeliest value. */
  #waysOf(reading: Reading<number>): Ways {
    const met = new Map<string, number>()
    const likeliest = (unknown: string, values: number): number => {
      const shares = this.#of(unknown, values)
      return shares.indexOf(Math.max(...shares))
    }
    reading((unknown, values) => {
      met.set(unknown, values)
      return likeliest(unknown, values)
    })
    const doubts: Array<string> = []
    let size = 1
    const doubtful = [...met]
      .map(([unknown, values]) => ({ unknown, values, most: Math.max(...this.#of(unknown, values)) }))
      .filter(({ most }) => most < CERTAIN)
      .toSorted((one, other) => one.most - other.most)
    for (const { unknown, values } of doubtful) {
      if (size * values > WAYS_MAX) break
      size *= values
      doubts.push(unknown)
    }
    const place = new Map(doubts.map((unknown, index) => [unknown, index]))
    const ways: Array<Interpretation> = []
    for (let way = 0; way < size; way++) {
      let left = way
      let share = 1
      const values = doubts.map((unknown) => {
        const count = met.get(unknown) ?? 1
        const value = left % count
        left = (left - value) / count
        share *= this.#of(unknown, count)[value] ?? 0
        return value
      })
      const end = reading((unknown, count) => values[place.get(unknown) ?? -1] ?? likeliest(unknown, count))
      ways.push({ end, share, values })
    }
    return { doubts, ways }
  }

  #learn({ reading, counts, given, right }: Verdict): void {
    const found = this.#waysOf(reading)
    const sums = this.#sumsOf(counts)
    const hit = (end: number | null): number => (end === null ? 0 : (sums[given - end] ?? 0))
    const agreeing = found.ways.map(({ end, share }) => share * ((right ? hit(end) : 1 - hit(end)) + UNSURE))
    const all = agreeing.reduce((sum, share) => sum + share, 0)
    if (all === 0) return
    for (const [index, unknown] of found.doubts.entries()) {
      const next = this.#shares.get(unknown)?.map(() => LEAST) ?? []
      for (const [way, { values }] of found.ways.entries()) {
        const value = values[index] ?? 0
        next[value] = (next[value] ?? 0) + (agreeing[way] ?? 0) / all
      }
      this.#shares.set(unknown, sharesOf(next))
    }
    const ends = endsOf(found)
    const likelier = counts.map((_, index) => {
      const others = this.#sumsOf(counts.filter((__, other) => other !== index))
      return Array.from({ length: COUNT_VALUES }, (__, n) => {
        let hits = 0
        for (const [end, share] of ends) hits += share * (others[given - end - n] ?? 0)
        return (right ? hits : 1 - hits) + LEAST_OF_COUNT
      })
    })
    for (const [index, count] of counts.entries())
      this.#shares.set(
        count,
        sharesOf(
          this.#of(count, COUNT_VALUES).map((share, n) => share * (likelier[index]?.[n] ?? 1) + LEAST_OF_COUNT ** 2)
        )
      )
  }
}

const sharesOf = (weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

function endsOf({ ways }: Ways): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  let all = 0
  for (const { end, share } of ways) {
    if (end === null) continue
    ends.set(end, (ends.get(end) ?? 0) + share)
    all += share
  }
  return new Map([...ends].map(([end, share]) => [end, share / all]))
}

function taskOf(question: Question, bank: Bank): Task {
  const { measures, scale } = question.drafted.addition
  const story = readingOf(question, bank)
  return {
    reading: (value) => {
      const end = story(value)
      return end === null ? null : scale.of(end)
    },
    counts: measures.map(({ phrase }) => `measure ${bare(phrase).slice(2)}`)
  }
}

/** Reads a story like a program that knows everything but meanings. */
function readingOf(
  { family: { engine, name }, drafted: { plan, cast, world, story } }: Question,
  { wording }: Bank
): Reading<string> {
  /** The slots of a masked text. The parser knows them by their places alone. */
  const slots = (at: MarkedSlot | undefined): string => {
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
    /** Finds the persons whom descriptions mean: for each one, a remaining person whose mark goes with it. */
    const taken = new Set<number>()
    const meant = new Map<string, number>()
    for (const { mark } of others) {
      const free = others.filter(({ index }) => !taken.has(index))
      const fits = free.find((one) => coin(`pair ${bare(one.mark.key)} ${bare(mark.value)}`)) ?? free[0]
      if (fits === undefined) continue
      taken.add(fits.index)
      meant.set(mark.value, fits.index)
    }
    const personOf = (index: number, at: ReadonlyArray<MarkedSlot>): number => {
      const described = within(at, "v").map(({ id }) => `⟦${id}⟧`)
      const mark = cast.people[index]?.mark
      return mark != null && described.includes(mark.value) ? (meant.get(mark.value) ?? index) : index
    }
    const moveOf = (move: Move, at: MarkedSlot): Move => ({
      ...move,
      act: move.act > 1 ? move.act : coin(at.id) ? 1 - move.act : move.act,
      who: personOf(move.who, [at]),
      whom: move.whom === NONE ? NONE : personOf(move.whom, [at])
    })
    const told = new Map<number, { move: Move; at: MarkedSlot; times: number }>()
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
          entry.move = moveOf(one.move, clauses.at(-1) as MarkedSlot)
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
    const end =
      engine === "cards"
        ? carded()
        : engine === "collection" && name === "stickers"
          ? stuck()
          : world.answer(moves.map(({ move }) => move))
    // No question of this source has this answer.
    return end === world.answer([]) ? null : end

    function chosen(moves: ReadonlyArray<Move>, at: readonly [MarkedSlot, MarkedSlot], isFirst: boolean): Happened {
      const index = isFirst ? 0 : 1
      return { move: moveOf(moves[index] as Move, at[index] as MarkedSlot), at: at[index] as MarkedSlot }
    }
    function holds(item: string, phrase: MarkedSlot | undefined): boolean {
      const [, , property = "", side = "1"] = (phrase?.id ?? "").split(":")
      const fact = `fact ${bare(item)} ${property}`
      return coin(fact) === (side === "1")
    }
    function itemsOf(at: MarkedSlot | undefined): ReadonlyArray<string> {
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
  readonly at: MarkedSlot
}

/** The marks of each utterance, in the order in which things are said. */
function spansOf(
  said: ReadonlyArray<Utterance>,
  marks: ReadonlyArray<MarkedSlot>
): ReadonlyArray<ReadonlyArray<MarkedSlot>> {
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

const NOWHERE: MarkedSlot = { kind: "", id: "", text: "", inside: [] }

const bare = (mark: string): string => mark.replace(/[⟦⟧]/g, "")
