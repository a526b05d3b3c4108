/** What an agent hears of its sponsorships, and the trust that follows (contract 12, 20). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decideDelete } from "../../../../actors/agent/profile/decide.ts"
import { votingParty } from "../../../../actors/agent/content/rating.ts"
import { decideBan } from "../../../../actors/agent/moderation/decide.ts"
import { scoreEntries } from "../../../../actors/agent/score/entries.ts"
import { decideAdmits, decideSponsorshipNews } from "../../../../actors/agent/sponsor/decide.ts"
import { REMEMBERED_MAX } from "../../../../actors/agent/sponsor/state.ts"
import { LIMITS } from "../../../../schemas/limits.ts"
import type { SponsorshipNews } from "../../../../schemas/sponsorship/operations.ts"
import { begun, type History, START } from "../moderation/history.ts"

const TRUST_BEFORE = 40

/** With enough of trust that nothing is lost at its bounds but where a test says so. */
const agentWith = (trust: number): History => {
  const history = begun()
  history.take({
    events: scoreEntries(history.agent, [
      { score: "trust", delta: trust - history.agent.trust, reason: "report_upheld", target: null }
    ])
  })
  return history
}

const hear = (history: History, told: SponsorshipNews): string =>
  history.take(decideSponsorshipNews(history.state, told, history.context))

const declared = (sponsorship: number, verified = true): SponsorshipNews => ({
  change: "declared",
  sponsorship,
  human: `hum_${sponsorship}`,
  role: "guarantor",
  verified
})
const confirmed = (sponsorship: number): SponsorshipNews => ({ change: "confirmed", sponsorship, at: sponsorship })
const ended = (sponsorship: number, status: "revoked" | "withdrawn" = "revoked"): SponsorshipNews => ({
  change: "ended",
  sponsorship,
  status
})

const carriedBy = (history: History, ...ids: ReadonlyArray<number>): void => {
  for (const id of ids) {
    hear(history, declared(id))
    hear(history, confirmed(id))
  }
}

const entriesOf = ({ events }: History) =>
  events.flatMap((event) =>
    event.type === "agent.score_changed" && event.target_type === "sponsorship"
      ? [[event.reason, event.target_id, event.delta]]
      : []
  )

describe("trust of a sponsor", () => {
  test("comes when both hold, in either order, and goes with the sponsorship", () => {
    const history = agentWith(10)
    hear(history, declared(1, false))
    hear(history, confirmed(1))
    expect(history.agent.trust).toBe(10)
    hear(history, { change: "verified", sponsorship: 1 })
    expect(history.agent.trust).toBe(25)
    hear(history, declared(2, false))
    hear(history, { change: "verified", sponsorship: 2 })
    expect(history.agent.trust).toBe(25)
    hear(history, confirmed(2))
    expect(history.agent.trust).toBe(40)
    hear(history, ended(1))
    expect(history.agent.trust).toBe(25)
    expect(entriesOf(history)).toEqual([
      ["sponsor_confirmed", "1", 15],
      ["sponsor_confirmed", "2", 15],
      ["sponsor_ended", "1", -15]
    ])
  })

  test("counts for two people; where one goes, the next in line does", () => {
    const history = agentWith(10)
    carriedBy(history, 1, 2, 3, 4)
    expect(history.agent.trust).toBe(40)
    hear(history, ended(4))
    expect(history.agent.trust).toBe(40)
    hear(history, ended(1))
    expect(history.agent.trust).toBe(40)
    hear(history, ended(2))
    expect(history.agent.trust).toBe(25)
    hear(history, ended(3))
    expect(history.agent.trust).toBe(10)
  })

  test("at the bound takes back what was really given", () => {
    const history = agentWith(95)
    carriedBy(history, 1)
    expect(history.agent.trust).toBe(100)
    hear(history, ended(1))
    expect(history.agent.trust).toBe(95)
  })

  test("does not grow while the account is suspended; reinstatement makes up for it", () => {
    const history = agentWith(TRUST_BEFORE)
    history.suspend()
    carriedBy(history, 1)
    expect(history.agent.trust).toBe(TRUST_BEFORE - 30)
    history.reinstate()
    expect(history.agent.trust).toBe(TRUST_BEFORE + 15)
  })

  test("is taken from what reinstatement gives back, where nothing else is left", () => {
    const history = agentWith(10)
    carriedBy(history, 1)
    history.suspend()
    expect([history.agent.trust, history.agent.trust_withheld]).toEqual([0, 25])
    hear(history, ended(1))
    expect(history.agent.trust).toBe(0)
    history.reinstate()
    expect(history.agent.trust).toBe(10)
  })
})

test("each event that may change the owner names the owner after it", () => {
  const history = agentWith(10)
  hear(history, declared(1, false))
  hear(history, confirmed(1))
  hear(history, declared(2))
  hear(history, confirmed(2))
  hear(history, { change: "verified", sponsorship: 1 })
  hear(history, ended(1))
  hear(history, ended(2, "withdrawn"))
  const named = history.events.flatMap((event) => ("owner" in event ? [event.owner] : []))
  // The first one counts from the verification on, and has been confirmed for longer than the second.
  expect(named).toEqual([null, "hum_2", "hum_1", "hum_2", null])
})

describe("the agent is told", () => {
  test("of a declaration and a withdrawal, by ids alone; of what it did itself, not", () => {
    const history = agentWith(10)
    carriedBy(history, 1, 2)
    hear(history, ended(1))
    hear(history, ended(2, "withdrawn"))
    const notices = history.events.filter((event) => event.type === "agent.notified")
    expect(notices.map(({ about, payload }) => [about, payload["sponsorship_id"], payload["human"]])).toEqual([
      ["sponsorship.requested", 1, { id: "hum_1" }],
      ["sponsorship.requested", 2, { id: "hum_2" }],
      ["sponsorship.withdrawn", 2, { id: "hum_2" }]
    ])
  })

  test("once, however often it is said", () => {
    const history = agentWith(10)
    const all: ReadonlyArray<SponsorshipNews> = [declared(1), { change: "verified", sponsorship: 1 }, confirmed(1)]
    for (const told of all) {
      hear(history, told)
      const before = history.events.length
      expect(hear(history, told)).toBe("done")
      expect(history.events.length).toBe(before)
    }
    hear(history, ended(1))
    const before = history.events.length
    for (const told of [ended(1), confirmed(1), ended(7)]) expect(hear(history, told)).toBe("done")
    expect(history.events.length).toBe(before)
  })

  test("nothing more once it is banned; deleted, what comes late is given back", () => {
    const banned = agentWith(10)
    banned.take(decideBan(banned.state, { reason: "spam" }, { id: "hx1", at: 0 }))
    hear(banned, declared(1))
    expect([banned.told, banned.agent.sponsors.length]).toEqual([[], 1])
    const gone = agentWith(10)
    hear(gone, declared(1))
    const { handle } = gone.agent
    gone.take(decideDelete(gone.state, { confirm: handle }))
    expect(gone.events.at(-1)).toEqual({ type: "agent.deleted", v: 1, sponsorships: [1] })
    hear(gone, declared(2))
    expect(gone.events.at(-1)).toEqual({ type: "agent.sponsorship_came_late", v: 1, sponsorship: 2 })
    expect(gone.agent.sponsors).toEqual([])
  })
})

describe("room for sponsorships", () => {
  const { owner } = LIMITS.limits
  const CONFIRM = { to: "confirm" } as const
  const declaring = (verified: boolean) => ({ to: "declare", verified }) as const
  type Wanted = Parameters<typeof decideAdmits>[1]
  const admits = ({ state }: Pick<History, "state">, wanted: Wanted, at = START) =>
    decideAdmits(state, wanted, at, LIMITS)

  test("has places for confirmed ones, which pending ones do not take", () => {
    const history = agentWith(10)
    for (let id = 1; id <= owner.agent_humans_max; id++) hear(history, declared(id))
    expect(admits(history, CONFIRM)).toBeNull()
    expect(admits(history, declaring(false))).toBeNull()
    for (let id = 1; id <= owner.agent_humans_max; id++) hear(history, { change: "confirmed", sponsorship: id, at: 1 })
    expect(admits(history, CONFIRM)).toMatchObject({ code: "sponsorship_limit" })
    expect(admits(history, declaring(false))).toBeNull()
  })

  test("is not taken from people with a verified address by those without", () => {
    const history = agentWith(10)
    for (let id = 1; id <= owner.agent_pending_max; id++) hear(history, declared(id, false))
    expect(admits(history, declaring(false))).toMatchObject({ code: "sponsorship_limit" })
    expect(admits(history, declaring(true))).toBeNull()
  })

  test("is taken by people who stopped carrying it, so that none of them is forgotten within the window", () => {
    const history = agentWith(10)
    const first = history.now
    carriedBy(history, 1)
    hear(history, ended(1))
    let id = 2
    const { requests, window_seconds } = owner.confirmed_owners
    const apart = Math.ceil((window_seconds * 1000) / (requests - 1))
    for (; admits(history, CONFIRM, history.now) === null && id < 1000; id++) {
      history.now += apart
      carriedBy(history, id)
      hear(history, ended(id, "withdrawn"))
    }
    expect(id).toBe(REMEMBERED_MAX + 1)
    expect(admits(history, CONFIRM, history.now)).toMatchObject({ code: "sponsorship_limit" })
    const remembered = () => votingParty(history.agent, history.now, LIMITS.scores).sponsors
    expect(remembered()).toContain("hum_1")
    history.now = first + LIMITS.scores.pair_window_seconds * 1000
    expect(remembered()).not.toContain("hum_1")
    expect(admits(history, CONFIRM, history.now)).toBeNull()
  })

  test("is bounded within an hour, for each confirmation is told to all owners (contract 22)", () => {
    const { requests, window_seconds } = owner.confirmed_owners
    const history = agentWith(10)
    const ids = Array.from({ length: requests }, (_, index) => index + 1)
    for (const id of ids) {
      expect(admits(history, CONFIRM, history.now)).toBeNull()
      carriedBy(history, id)
    }
    expect(admits(history, CONFIRM, history.now)).toMatchObject({
      code: "sponsorship_limit",
      details: { max: requests }
    })
    // Nobody who stops carrying it makes room within the hour, nor who takes turns.
    for (const id of ids) hear(history, ended(id))
    expect(admits(history, CONFIRM, history.now)).toMatchObject({ code: "sponsorship_limit" })
    expect(admits(history, CONFIRM, history.now + window_seconds * 1000)).toBeNull()
  })

  test("is bounded within an hour also where the same few people take turns", () => {
    const { requests } = owner.confirmed_owners
    const history = agentWith(10)
    for (let turn = 0; turn < requests; turn++) {
      expect(admits(history, CONFIRM, history.now)).toBeNull()
      const id = turn + 1
      hear(history, {
        change: "declared",
        sponsorship: id,
        human: `hum_${turn % 2}`,
        role: "guarantor",
        verified: true
      })
      hear(history, { change: "confirmed", sponsorship: id, at: history.now })
      hear(history, ended(id))
    }
    expect(admits(history, CONFIRM, history.now)).toMatchObject({ code: "sponsorship_limit" })
  })

  test("leaves room to remember all who stop carrying it at once", () => {
    const history = agentWith(10)
    const max = owner.agent_humans_max
    const before = Array.from({ length: max - 1 }, (_, index) => index + 1)
    carriedBy(history, ...before)
    for (const id of before) hear(history, ended(id))
    const after = before.map((id) => id + max)
    carriedBy(history, ...after)
    for (const id of after) hear(history, ended(id))
    expect(votingParty(history.agent, history.now, LIMITS.scores).sponsors).toHaveLength(2 * (max - 1))
  })

  test("is in no account that is closed", () => {
    const history = agentWith(10)
    expect(admits({ state: null }, CONFIRM)).toMatchObject({ code: "not_found" })
    history.take(decideBan(history.state, { reason: "spam" }, { id: "hx1", at: 0 }))
    expect(admits(history, declaring(true))).toMatchObject({ code: "not_found" })
  })
})

/** What may come to an agent, each sponsorship from its declaration on in its own order. */
const life = (id: number) =>
  fc
    .record({ verified: fc.boolean(), changes: fc.subarray(["confirmed", "verified", "ended"] as const) })
    .chain(({ verified, changes }) =>
      fc.shuffledSubarray([...changes], { minLength: changes.length }).map((order) => {
        // It is confirmed and verified before it ends, or not at all.
        const before = order.includes("ended") ? [...order.slice(0, order.indexOf("ended")), "ended" as const] : order
        return [
          declared(id, verified),
          ...before.map((change): SponsorshipNews => {
            if (change === "confirmed") return confirmed(id)
            return change === "ended" ? ended(id) : { change: "verified", sponsorship: id }
          })
        ]
      })
    )

type Step = { readonly told: SponsorshipNews } | "suspend" | "reinstate" | "report"
const STEPS = ["suspend", "reinstate", "report"] as const

/** The lives abreast, each in its order, with suspensions in between. */
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .tuple(fc.tuple(life(1), life(2), life(3), life(4)), fc.array(fc.nat(), { minLength: 24, maxLength: 24 }))
  .map(([lives, picks]) => {
    const left = lives.map((one) => [...one])
    const taken: Array<Step> = []
    for (const pick of picks) {
      const line = left[pick % (left.length + 1)]
      if (line === undefined) taken.push(STEPS[pick % STEPS.length] ?? "report")
      else {
        const next = line.shift()
        if (next !== undefined) taken.push({ told: next })
      }
    }
    return taken
  })

/** An operator upholds a report against the agent (contract 12). */
const REPORT_COSTS = 15
const reported = (history: History): void => {
  const change = { score: "trust", delta: -REPORT_COSTS, reason: "report_upheld", target: null } as const
  history.take({ events: scoreEntries(history.agent, [change]) })
}

test("a loss stays, whether a sponsor goes and comes again before it or behind it", () => {
  const [before, behind] = [agentWith(10), agentWith(10)]
  for (const history of [before, behind]) carriedBy(history, 1)
  hear(before, ended(1))
  for (const history of [before, behind]) reported(history)
  hear(behind, ended(1))
  for (const history of [before, behind]) carriedBy(history, 2)
  expect([before.agent.trust, behind.agent.trust]).toEqual([10, 10])
  reported(behind)
  reported(behind)
  for (const id of [3, 4]) {
    hear(behind, ended(id - 1))
    carriedBy(behind, id)
    expect(behind.agent.trust).toBe(0)
  }
})

test("whatever comes in between, trust is what two sponsors who count make of it", () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(0, 10, TRUST_BEFORE), (taken, trust) => {
      const history = agentWith(trust)
      for (const step of taken) {
        if (step === "suspend") history.suspend()
        else if (step === "reinstate") history.reinstate()
        else if (step === "report") reported(history)
        else expect(hear(history, step.told)).toBe("done")
        const sum = history.events.reduce(
          (all, one) => all + (one.type === "agent.score_changed" && one.score === "trust" ? one.delta : 0),
          0
        )
        expect(history.agent.trust).toBe(sum)
        expect(history.agent.trust).toBeGreaterThanOrEqual(0)
      }
      history.reinstate()
      const counting = history.agent.sponsors.filter(({ since, verified }) => since !== null && verified).length
      const reports = taken.filter((step) => step === "report").length
      expect(history.agent.trust).toBe(Math.max(0, trust + 15 * Math.min(2, counting) - REPORT_COSTS * reports))
    })
  )
})
