/** Earlier owners of an agent judge later ones (contract 22). */
import { describe, expect, test } from "vitest"
import { decideJudge, laterOwners, standingOf } from "../../../actors/agent/owner/later.ts"
import { decideSponsorshipNews } from "../../../actors/agent/sponsor/decide.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { begun, type History } from "./moderation/history.ts"

const owner = { ...LIMITS.limits.owner, restoredAt: 0 }
const WAIT_MS = owner.later_owner_seconds * 1000

const confirm = (history: History, sponsorship: number, human = `hum_${sponsorship}`): void => {
  const declared = { change: "declared", sponsorship, human, role: "guarantor", verified: true } as const
  history.take(decideSponsorshipNews(history.state, declared, history.context))
  history.now += 1
  history.take(
    decideSponsorshipNews(history.state, { change: "confirmed", sponsorship, at: history.now }, history.context)
  )
}
const end = (history: History, sponsorship: number, status: "revoked" | "withdrawn"): void => {
  history.take(decideSponsorshipNews(history.state, { change: "ended", sponsorship, status }, history.context))
}
const judge = (history: History, by: number, sponsorship: number, approves: boolean): string =>
  history.take(decideJudge(history.state, { human: `hum_${by}`, sponsorship, approves }, { at: history.now }, owner))
const sees = (history: History, by: number) =>
  laterOwners(history.state, `hum_${by}`, history.now, owner).map(({ sponsorship, approves }) => [
    sponsorship,
    approves
  ])
const opinionsOn = (history: History, sponsorship: number) =>
  standingOf(history.state, 0).find((one) => one.sponsorship === sponsorship)?.opinions

const owned = (...ids: ReadonlyArray<number>): History => {
  const history = begun()
  for (const id of ids) confirm(history, id)
  return history
}

describe("a later owner", () => {
  test("is told to the owners of that moment, in the commit of its confirmation", () => {
    const history = owned(1, 2)
    end(history, 1, "withdrawn")
    confirm(history, 3)
    expect(standingOf(history.state, 0).map(({ human, told }) => [human, told.humans])).toEqual([
      ["hum_2", ["hum_1"]],
      ["hum_3", ["hum_2"]]
    ])
    expect(standingOf(history.state, 0).at(-1)?.told.at).toBe(history.now)
  })

  test("waits anew after a restore, which may have lost an objection", () => {
    const history = owned(1, 2)
    const [, later] = standingOf(history.state, 0)
    const restoredAt = history.now + WAIT_MS / 2
    expect(standingOf(history.state, restoredAt)[1]).toEqual({ ...later, told: { ...later?.told, at: restoredAt } })
    const [seen] = laterOwners(history.state, "hum_1", restoredAt, { ...owner, restoredAt })
    expect(seen?.waits_until).toBe(new Date(restoredAt + WAIT_MS).toISOString())
    end(history, 1, "withdrawn")
    history.now += WAIT_MS
    expect([
      sees(history, 1),
      laterOwners(history.state, "hum_1", history.now, { ...owner, restoredAt })
    ]).toMatchObject([[], [{ sponsorship: 2 }]])
  })

  test("is judged by earlier owners alone; the last word counts", () => {
    const history = owned(1, 2, 3)
    expect([sees(history, 1), sees(history, 2), sees(history, 3), sees(history, 9)]).toEqual([
      [
        [2, null],
        [3, null]
      ],
      [[3, null]],
      [],
      []
    ])
    for (const [by, on] of [
      [2, 1],
      [2, 2],
      [9, 2],
      [1, 7]
    ] as const)
      expect([by, on, judge(history, by, on, false)]).toEqual([by, on, "not_found"])
    expect([judge(history, 1, 3, false), judge(history, 2, 3, true), judge(history, 1, 3, true)]).toEqual([
      "done",
      "done",
      "done"
    ])
    expect(opinionsOn(history, 3)).toEqual([
      { human: "hum_2", approves: true },
      { human: "hum_1", approves: true }
    ])
    const before = history.events.length
    expect([judge(history, 1, 3, true), history.events.length]).toEqual(["done", before])
  })

  test("is objected to, not approved, by an owner whom the agent has ended meanwhile, for the waiting time", () => {
    const history = owned(1, 2)
    end(history, 1, "revoked")
    expect(sees(history, 1)).toEqual([[2, null]])
    expect([judge(history, 1, 2, true), judge(history, 1, 2, false)]).toEqual(["not_found", "done"])
    history.now += WAIT_MS
    expect([sees(history, 1), judge(history, 1, 2, false)]).toEqual([[], "not_found"])
    expect(opinionsOn(history, 2)).toEqual([{ human: "hum_1", approves: false }])
  })

  test("who was confirmed by an older release, without a word to anybody, can still be judged by earlier ones", () => {
    const history = owned(1)
    const declared = { type: "agent.sponsorship_declared", v: 1, human: "hum_2", role: "guarantor" } as const
    const old = [
      { ...declared, sponsorship: 2, verified: true },
      { type: "agent.sponsorship_confirmed", v: 1, sponsorship: 2, since: history.now + 1 }
    ] as const
    history.take({ events: old })
    expect(standingOf(history.state, 0).at(-1)?.told).toEqual({ humans: [], at: history.now + 1 })
    expect(judge(history, 1, 2, true)).toBe("done")
  })
})
