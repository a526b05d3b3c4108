/** What an agent's actor knows of its captchas, and which requests are held for them (spec 4.10; contract 20). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decideCaptchaEnded, decideSend } from "../../../actors/agent/captcha/decide.ts"
import { evolve } from "../../../actors/agent/evolve.ts"
import { releaseHolding, mayHold, newHeld } from "../../../actors/agent/owner/held.ts"
import type { Agent, AgentEvent, AgentState } from "../../../actors/agent/state.ts"
import { EXPIRE_TIMER } from "../../../actors/captcha/decide.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import type { SentCaptcha } from "../../../schemas/captcha/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { registered } from "../../support/registered.ts"

const ID = `hx${"a".repeat(24)}`
const START = 1_800_000_000_000
const GRACE_MS = 1000
const { owner } = LIMITS.limits
const SECONDS = owner.captcha_seconds
const BLOB = { sha256: "1".repeat(64), size: 9 }
const SENT: SentCaptcha = {
  kind: "taps",
  context: "planted-context",
  origin: "https://planted.example",
  picture: { blob: BLOB, width: 30, height: 20, type: "png" },
  key: "planted-key",
  fill: null
}

const fold = (state: AgentState, events: ReadonlyArray<AgentEvent>, at = START): AgentState =>
  events.reduce<AgentState>((before, event) => evolve(before, event, { at }), state)

const alone = fold(null, registered({ number: 7 }))
const carried = fold(alone, [
  {
    type: "agent.sponsorship_declared",
    v: 1,
    sponsorship: 1,
    human: "hum_one",
    role: "guarantor",
    verified: true
  },
  { type: "agent.sponsorship_confirmed", v: 1, sponsorship: 1, since: START }
])

const sending = (state: AgentState, number = 5, at = START) =>
  decideSend({ owner, graceMs: GRACE_MS })(state, SENT, {
    id: ID,
    at,
    facts: {
      number,
      sealed: { sealed: "sealed1.x", keys: [{ human: "hum_one", sealed: "sealed1.y" }] },
      blobs: new Map([
        [BLOB.sha256, { seq: 3, state: { size: BLOB.size, names: 0, until: START + 60_000, through: null } }]
      ])
    }
  })

const codeOf = (decision: Decision<AgentEvent, unknown>): string | null =>
  "refused" in decision ? decision.refused.code : null
const after = (state: AgentState, decision: Decision<AgentEvent, unknown>, at = START): AgentState =>
  "refused" in decision ? state : fold(state, decision.events, at)

describe("handing one over", () => {
  test("needs a person who carries the agent, and is in one commit with the captcha, its end and its picture's name", () => {
    expect(codeOf(sending(null))).toBe("not_found")
    expect(codeOf(sending(alone))).toBe("captcha_needs_human")
    const until = START + SECONDS * 1000
    expect(sending(carried)).toMatchObject({
      events: [{ type: "agent.captcha_asked", captcha: 5, until }],
      reply: { number: 5, until },
      companions: [
        { kind: "captcha", id: "5", expected: 0, events: [{ type: "captcha.asked", agent: ID, expires_at: until }] },
        { kind: "blob", id: BLOB.sha256, expected: 3, events: [{ type: "blob.named", names: 1 }] }
      ],
      timers: [{ name: EXPIRE_TIMER, at: until, of: { kind: "captcha", id: "5" } }]
    })
    // Nothing of what is sealed stands beside that.
    expect(JSON.stringify(sending(carried))).not.toContain("planted")
  })

  test("is refused while so many wait, until the first of them is over", () => {
    let state = carried
    for (let number = 1; number <= owner.captchas_pending_max; number++)
      state = after(state, sending(state, number, START + number), START + number)
    const at = START + 60_000
    const retryAfter = SECONDS - 59
    const details = { bucket: "captchas", limit: owner.captchas_pending_max, window_seconds: SECONDS }
    expect(sending(state, 99, at)).toMatchObject({
      refused: { code: "rate_limited", retryAfter, details: { ...details, retry_after: retryAfter } }
    })
    const told = { captcha: 3, state: "cancelled", kind: "taps", answered_at: null } as const
    const fewer = after(state, decideCaptchaEnded(state, told, { facts: { notification: 1 } }), at)
    expect(codeOf(sending(fewer, 99, at))).toBeNull()
    expect(codeOf(sending(state, 99, START + SECONDS * 1000 + 1))).toBeNull()
  })

  test("is not for who is suspended", () => {
    const suspended: AgentState = carried === null ? null : { ...carried, status: "suspended" }
    expect(codeOf(sending(suspended))).toBe("agent_suspended")
  })
})

test("the agent is told of an answer, without it; of an end without an answer it is not", () => {
  const waiting = after(carried, sending(carried))
  const hear = (state: AgentState, answered_at: number | null) =>
    decideCaptchaEnded(
      state,
      { captcha: 5, state: answered_at === null ? "expired" : "answered", kind: "taps", answered_at },
      { facts: { notification: 9 } }
    )
  expect((waiting as Agent).captchas).toEqual([{ captcha: 5, until: START + SECONDS * 1000 }])
  const ended = { type: "agent.captcha_ended", v: 1, captcha: 5 }
  expect(hear(waiting, START + 5)).toMatchObject({
    events: [
      ended,
      {
        type: "agent.notified",
        about: "captcha.answered",
        payload: { captcha_id: 5, state: "answered", kind: "taps", api_url: "/api/v1/me/captcha/5" }
      }
    ]
  })
  expect(hear(waiting, null)).toEqual({ events: [ended] })
  const deleted: AgentState = waiting === null ? null : { ...waiting, status: "deleted" }
  expect(hear(deleted, START + 5)).toEqual({ events: [ended] })
  expect((after(waiting, hear(waiting, null)) as Agent).captchas).toEqual([])
})

test("those that wait: each once, none that ended, bounded by what the newest finds still waiting", () => {
  const change = fc.record({
    after: fc.integer({ min: 0, max: 300_000 }),
    captcha: fc.integer({ min: 1, max: 8 }),
    ends: fc.boolean()
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      let at = START
      let state = alone
      const model = new Map<number, number>()
      for (const { after: pause, captcha, ends } of changes) {
        at += pause
        const until = at + SECONDS * 1000
        const event: AgentEvent = ends
          ? { type: "agent.captcha_ended", v: 1, captcha }
          : { type: "agent.captcha_asked", v: 1, captcha, until }
        state = fold(state, [event], at)
        const captchas = state?.captchas ?? []
        if (ends) model.delete(captcha)
        else model.set(captcha, until)
        const stillThere = captchas.filter((one) => one.until > at)
        const expected = [...model].filter(([, end]) => end > at).map(([of, end]) => ({ captcha: of, until: end }))
        expect(stillThere.toSorted((a, b) => a.captcha - b.captcha)).toEqual(
          expected.toSorted((a, b) => a.captcha - b.captcha)
        )
        expect(new Set(captchas.map((one) => one.captcha)).size).toBe(captchas.length)
        if (!ends) expect(captchas).toEqual(stillThere)
      }
    })
  )
})

test("one request is held for captchas at any time, beside one for messages", () => {
  const step = fc.record({
    after: fc.integer({ min: 0, max: 40 }),
    token: fc.constantFrom("a", "b", "c"),
    purpose: fc.constantFrom("captcha" as const, "message" as const),
    leaves: fc.boolean()
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const held = newHeld()
      const holders = new Map<string, { token: string; until: number }>()
      let now = 0
      for (const { after: pause, token, purpose, leaves } of steps) {
        now += pause
        const holder = holders.get(purpose)
        if (leaves) {
          releaseHolding(held, purpose, token)
          if (holder?.token === token) holders.delete(purpose)
          continue
        }
        const free = holder === undefined || holder.token === token || holder.until <= now
        expect(mayHold(held, purpose, { token, until: now + 100 }, now)).toBe(free)
        if (free) holders.set(purpose, { token, until: now + 100 })
      }
    })
  )
})
