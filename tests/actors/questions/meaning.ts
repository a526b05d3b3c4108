/**
 * The rules by which a story is read, written a second time: from what is said, in order, to the moves that count.
 * Nothing of the plan's own bookkeeping is used, nor of the worlds' sums.
 */
import type { Bank } from "../../../actors/registration/questions/bank/bank.ts"
import type { Claim, Utterance } from "../../../actors/registration/questions/story/plan.ts"
import { type Move, NONE } from "../../../actors/registration/questions/story/world.ts"

interface Told {
  readonly id: number
  move: Move
  times: number
}

const holds = (bank: Bank, { matrix, item, property, side }: Claim): boolean => {
  const found = bank.matrices.find(({ name }) => name === matrix)?.properties.find(({ name }) => name === property)
  if (found === undefined || found.unsure.has(item)) throw new Error(`nobody knows whether ${item} is ${property}`)
  return found.yes.has(item) === side
}

export function readMoves(bank: Bank, blocks: ReadonlyArray<ReadonlyArray<Utterance>>): ReadonlyArray<Move> {
  const said = blocks.flat()
  const liars = new Set(said.flatMap((one) => (one.type === "trust" && one.lies ? [one.who] : [])))
  const honest = new Set(said.flatMap((one) => (one.type === "trust" && !one.lies ? [one.who] : [])))
  const skips = said.some((one) => one.type === "between" && !one.counts)
  const told: Array<Told> = []
  const known = (id: number): Told => {
    const found = told.find((one) => one.id === id)
    if (found === undefined) throw new Error(`move ${id} is spoken of before it is told`)
    return found
  }
  let inside = false
  for (const one of said) {
    if (one.type === "sign") inside = one.opens
    if (one.type === "tell") {
      if (one.by !== NONE && liars.has(one.by) === honest.has(one.by))
        throw new Error(`nobody knows whether ${one.by} lies`)
      const counts = one.mood !== "not so" && !liars.has(one.by) && !(inside && skips)
      told.push({ id: one.id, move: one.move, times: counts ? 1 : 0 })
    }
    if (one.type === "pronoun") told.push({ id: one.id, move: one.move, times: 1 })
    if (one.type === "select") told.push({ id: -1, move: holds(bank, one.claim) ? one.yes : one.no, times: 1 })
    if (one.type === "contrast") told.push({ id: -1, move: one.right, times: 1 })
    if (one.type === "likewise") told.push({ id: -1, move: one.move, times: 1 })
    if (one.type === "amend") known(one.of).move = one.move
    if (one.type === "cancel") known(one.of).times = 0
    if (one.type === "recant") known(one.of).times = 1
    if (one.type === "repeat") known(one.of).times = 2
    if (one.type === "restate" || one.type === "keep") expectSame(known(one.of).move, one.move)
  }
  return told.flatMap(({ move, times }) => Array.from({ length: times }, () => move))
}

const expectSame = (one: Move, other: Move): void => {
  if (JSON.stringify(one) !== JSON.stringify(other)) throw new Error("what is told again is not what was told")
}
