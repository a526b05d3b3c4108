/** A sponsorship as decisions and what they fold into, whoever comes first (spec 3.4; contract 6, 20). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  decideConfirm,
  decideDate,
  decideEnd,
  decideExpire,
  decideReject,
  decideVerify,
  decideWithdraw
} from "../../../actors/sponsorship/decide.ts"
import { evolveSponsorship, type SponsorshipEvent, type SponsorshipState } from "../../../actors/sponsorship/state.ts"
import type { Decision } from "../../../actors/engine/definition.ts"

const PENDING = { pending_seconds: 10 }

const AGENT = "hx-the-agent"
const HUMAN = "hum_theperson"

const COMMANDS = {
  confirm: (state: SponsorshipState) => decideConfirm(state, { agent: AGENT }),
  reject: (state: SponsorshipState) => decideReject(state, { agent: AGENT }),
  withdraw: (state: SponsorshipState) => decideWithdraw(state, { human: HUMAN }),
  verify: decideVerify,
  agentDeleted: (state: SponsorshipState) => decideEnd(state, { status: "revoked" }),
  humanDeleted: (state: SponsorshipState) => decideEnd(state, { status: "withdrawn" })
} as const
type Command = keyof typeof COMMANDS

const declared: SponsorshipEvent = {
  type: "sponsorship.declared",
  v: 1,
  human: HUMAN,
  agent: AGENT,
  role: "guarantor",
  verified: false
}

/** The states that it goes through, and what came of each command: its refusal, or whether it changed anything. */
const lived = (commands: ReadonlyArray<Command>) => {
  let state = evolveSponsorship(null, declared, { at: 0 })
  const outcomes = commands.map((command, index) => {
    const decision: Decision<SponsorshipEvent> = COMMANDS[command](state)
    if ("refused" in decision) return decision.refused.code
    for (const event of decision.events) state = evolveSponsorship(state, event, { at: index + 1 })
    return decision.events.length === 0 ? "nothing" : (state?.status ?? "none")
  })
  return { outcomes, state }
}

describe("each end", () => {
  test.each([
    [["reject"], "refused"],
    [["withdraw"], "withdrawn"],
    [["confirm", "reject"], "revoked"],
    [["confirm", "withdraw"], "withdrawn"],
    [["agentDeleted"], "revoked"],
    [["confirm", "humanDeleted"], "withdrawn"]
  ] as const)("%j is %s, with its time", (commands, status) => {
    const { state } = lived(commands)
    const confirmed_at = commands[0] === "confirm" ? 1 : null
    expect(state).toMatchObject({ status, confirmed_at, ended_at: commands.length })
  })
})

test("to others than its two parties there is none", () => {
  const pending = evolveSponsorship(null, declared, { at: 0 })
  const missing = { refused: { code: "not_found" } }
  for (const state of [pending, null]) {
    expect(decideConfirm(state, { agent: "hx-another" })).toMatchObject(missing)
    expect(decideReject(state, { agent: "hx-another" })).toMatchObject(missing)
    expect(decideWithdraw(state, { human: "hum_another" })).toMatchObject(missing)
  }
})

test("in whatever order they come, it ends once, and stays what it ended as", () => {
  const command = fc.constantFrom(...(Object.keys(COMMANDS) as ReadonlyArray<Command>))
  fc.assert(
    fc.property(fc.array(command, { maxLength: 12 }), (commands) => {
      const { outcomes, state } = lived(commands)
      const ends = outcomes.filter((one) => one === "refused" || one === "revoked" || one === "withdrawn")
      expect(ends.length).toBeLessThanOrEqual(1)
      expect(outcomes.filter((one, index) => one === "confirmed" && commands[index] === "confirm").length <= 1).toBe(
        true
      )
      const end = outcomes.findIndex((one) => one === ends[0])
      if (end >= 0) {
        expect(state).toMatchObject({ status: ends[0], ended_at: end + 1 })
        for (const after of outcomes.slice(end + 1)) expect(["nothing", "sponsorship_not_pending"]).toContain(after)
      } else {
        expect(state?.ended_at).toBeNull()
        expect(state?.status).toBe(commands.includes("confirm") ? "confirmed" : "pending")
      }
    })
  )
})

test("a declaration that waits is dated, and ends by its time; answered, or dated before, it is left alone", () => {
  const pending = evolveSponsorship(null, declared, { at: 0 })
  const dated = decideDate(pending, { at: 1 }, PENDING)
  const date = { type: "sponsorship.dated", v: 1, human: HUMAN, agent: AGENT, expires_at: 10_000 } as const
  expect(dated).toEqual({ events: [date], timers: [{ name: "expiry", at: 10_000 }] })
  const state = evolveSponsorship(pending, date, { at: 1 })
  expect(decideDate(state, { at: 2 }, PENDING)).toEqual({ events: [] })
  const end = { type: "sponsorship.ended", v: 1, human: HUMAN, agent: AGENT, status: "expired" } as const
  // One of long ago is dated late.
  expect(decideDate(pending, { at: 10_000 }, PENDING)).toEqual({ events: [end] })
  const fired = { name: "expiry", at: 10_000 }
  expect(decideExpire(state, fired, { at: 10_000 })).toEqual({ events: [end] })
  const confirmed = evolveSponsorship(
    state,
    { type: "sponsorship.confirmed", v: 1, human: HUMAN, agent: AGENT },
    { at: 3 }
  )
  expect(decideExpire(confirmed, fired, { at: 10_000 })).toEqual({ events: [] })
  expect(decideDate(confirmed, { at: 3 }, PENDING)).toEqual({ events: [] })
})
