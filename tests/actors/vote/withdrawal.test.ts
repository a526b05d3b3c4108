/** How the votes of a banned agent go: all of them, whatever the read model has of them yet. */
import fc from "fast-check"
import { expect, test } from "vitest"
import {
  decideBegin,
  decideGoOn,
  evolveWithdrawal,
  type Step,
  type WithdrawalState,
  withdrawing
} from "../../../actors/vote/withdrawal.ts"

const START = 1_800_000_000_000

/** Carried out to its end, as its timers say; `look`: what is found at a time. */
const carriedOut = (look: (at: number) => Step) => {
  const { companions, timers } = withdrawing("somebody", START)
  let state: WithdrawalState = companions
    .flatMap(({ events }) => events as ReadonlyArray<Parameters<typeof evolveWithdrawal>[1]>)
    .reduce<WithdrawalState>(evolveWithdrawal, null)
  let timer = timers[0]
  const looks: Array<number> = []
  while (timer !== undefined && looks.length < 1000) {
    const { at } = timer
    looks.push(at)
    const decided = decideGoOn(state, { name: timer.name, at }, { id: "somebody", at, facts: look(at) })
    if ("refused" in decided) throw new Error(decided.refused.message)
    state = decided.events.reduce<WithdrawalState>(evolveWithdrawal, state)
    ;[timer] = decided.timers ?? []
  }
  return { state, looks }
}

/** Of one agent that is banned at START: each in the log at a time, and in the read model some time later. */
const vote = fc.record({ at: fc.integer({ min: -20_000, max: 20_000 }), lag: fc.nat(300_000) })

test("every vote is taken back once, however far the read model is behind, and then it ends", () => {
  fc.assert(
    fc.property(fc.array(vote, { maxLength: 200 }), (unsorted) => {
      const votes = unsorted.toSorted((one, other) => one.at - other.at)
      // The read model has them in order: none before an earlier one.
      const seenAt: Array<number> = []
      for (const { at, lag } of votes) seenAt.push(Math.max(seenAt.at(-1) ?? 0, START + at + lag))
      const gone = new Map<number, number>()
      const { state } = carriedOut((at) => {
        const seen = votes.flatMap((_vote, index) => ((seenAt[index] ?? 0) <= at ? [index] : []))
        const page = seen.filter((index) => (gone.get(index) ?? at) + 1000 > at).slice(0, 50)
        const fresh = page.filter((index) => !gone.has(index))
        for (const index of fresh) gone.set(index, at)
        const end = votes.filter((one) => START + one.at <= at).length
        return { found: page.length, annulled: fresh.length, end, watermark: seen.length }
      })
      expect(gone.size).toBe(votes.length)
      expect(state).toMatchObject({ due: null, votes: votes.length })
    })
  )
})

test("a timer that fires before the ban is committed comes again, for a while", () => {
  const [timer] = withdrawing("somebody", START).timers
  const fired = { name: timer?.name ?? "", at: START }
  const decided = (at: number) => decideGoOn(null, fired, { id: "somebody", at, facts: null })
  expect(decided(START + 300)).toMatchObject({ refused: { code: "unavailable" } })
  expect(decided(START + 60_000)).toEqual({ events: [] })
})

test("is begun again for one that is banned, where it is not under way", () => {
  const begin = (state: WithdrawalState, facts = true) => decideBegin(state, null, { id: "somebody", at: START, facts })
  const begun = { type: "withdrawal.begun", settled: START + 60_000, due: START }
  const done = { settled: START, due: null, end: 5, votes: 3 }
  for (const state of [null, done])
    expect(begin(state)).toMatchObject({ events: [begun], timers: [{ name: "go_on", at: START }] })
  expect(begin({ ...done, due: START + 5 })).toEqual({ events: [] })
  expect(begin(null, false)).toMatchObject({ refused: { code: "validation_error", details: { field: "status" } } })
})

test("a timer that is not waited for does nothing", () => {
  const state = { settled: START, due: START + 5, end: null, votes: 0 }
  const at = START + 60_000
  const fired = { name: "go_on", at: START }
  expect(decideGoOn(state, fired, { id: "somebody", at, facts: null })).toEqual({ events: [] })
  expect(decideGoOn(null, fired, { id: "somebody", at, facts: null })).toEqual({ events: [] })
  expect(decideGoOn({ ...state, due: null }, fired, { id: "somebody", at, facts: null })).toEqual({ events: [] })
})
