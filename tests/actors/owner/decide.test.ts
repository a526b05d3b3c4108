/** Messages between an agent and its owners, as decisions and what they fold into (spec 2.12; contract 10, 20). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { evolve } from "../../../actors/agent/evolve.ts"
import { releaseHolding, mayHold, newHeld } from "../../../actors/agent/owner/held.ts"
import { answerIn, ANSWERED_MAX } from "../../../actors/agent/owner/state.ts"
import type { Agent, AgentEvent, AgentState } from "../../../actors/agent/state.ts"
import { decideRead } from "../../../actors/owner/decide.ts"
import { evolveOwnerMessage, type OwnerMessageEvent, type OwnerMessageState } from "../../../actors/owner/state.ts"
import { registered } from "../../support/registered.ts"

const fold = (before: AgentState, events: ReadonlyArray<AgentEvent>): Agent => {
  const agent = events.reduce<AgentState>((state, event) => evolve(state, event, { at: 1 }), before)
  if (agent === null) throw new Error("an agent that was registered is one")
  return agent
}
const agent = fold(null, registered({}))

const AGENT = `hx${"a".repeat(24)}`
const OWNERS = ["hum_one", "hum_two"]
const SEALED = { sealed: "sealed1.x", keys: OWNERS.map((human) => ({ human, sealed: "sealed1.y" })) }

const written = (human: string | null): OwnerMessageState =>
  evolveOwnerMessage(
    null,
    {
      type: "owner_message.written",
      v: 1,
      agent: AGENT,
      human,
      kind: human === null ? "question" : null,
      in_reply_to: null,
      delivered_to: [],
      ...SEALED
    },
    { at: 1 }
  )

const read = (state: OwnerMessageState, by: string, at: number): OwnerMessageState => {
  const decision = decideRead(state, { by })
  const events: ReadonlyArray<OwnerMessageEvent> = "refused" in decision ? [] : decision.events
  return events.reduce<OwnerMessageState>((one, event) => evolveOwnerMessage(one, event, { at }), state)
}

describe("reading", () => {
  test("is of whom it was written to; the first time stays", () => {
    const toOwners = written(null)
    expect(decideRead(toOwners, { by: AGENT })).toMatchObject({ refused: { code: "not_found" } })
    expect(decideRead(toOwners, { by: "hum_three" })).toMatchObject({ refused: { code: "not_found" } })
    expect(read(read(toOwners, "hum_two", 5), "hum_one", 9)?.read_at).toBe(5)
    const toAgent = written("hum_one")
    expect(decideRead(toAgent, { by: "hum_one" })).toMatchObject({ refused: { code: "not_found" } })
    expect(read(toAgent, AGENT, 7)?.read_at).toBe(7)
    expect(decideRead(null, { by: AGENT })).toMatchObject({ refused: { code: "not_found" } })
  })
})

describe("answers", () => {
  const answered = (message: number, answer: number) =>
    ({ type: "agent.owner_answered", v: 1, message, answer }) as const

  test("the first stays, however many come in whatever order; so many are remembered", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 21 })), { maxLength: 60 }),
        (all) => {
          const state = fold(
            agent,
            all.map(([message, answer]) => answered(message, answer))
          )
          for (const [message] of all) expect(answerIn(state, message)).toBe(all.find(([of]) => of === message)?.[1])
        }
      )
    )
    const state = fold(
      agent,
      Array.from({ length: ANSWERED_MAX + 5 }, (_, index) => answered(index + 1, index + 1))
    )
    expect([state.owners.answered.length, answerIn(state, 5), answerIn(state, 6)]).toEqual([ANSWERED_MAX, null, 6])
  })

  test("are unread once, however often they are told, until they are seen", () => {
    const told = (about: string, notification: number, message_id: number) =>
      ({ type: "agent.notified", v: 1, about, notification, payload: { message_id } }) as const
    const twice = fold(agent, [told("owner.message", 8, 3), told("owner.message", 8, 3)])
    expect(twice.owners.unread).toEqual([{ message: 3, notification: 8 }])
    expect(fold(twice, [told("message.received", 9, 4)]).owners).toBe(twice.owners)
    expect(fold(twice, [{ type: "agent.owner_message_seen", v: 1, message: 3 }]).owners.unread).toEqual([])
  })
})

test("one request is held for each purpose, until it lets go or its time is over", () => {
  const held = newHeld()
  expect(mayHold(held, "message", { token: "a", until: 100 }, 0)).toBe(true)
  expect(mayHold(held, "message", { token: "b", until: 100 }, 50)).toBe(false)
  expect(mayHold(held, "message", { token: "a", until: 120 }, 50)).toBe(true)
  expect(mayHold(held, "captcha", { token: "b", until: 100 }, 50)).toBe(true)
  releaseHolding(held, "message", "b")
  expect(mayHold(held, "message", { token: "b", until: 200 }, 119)).toBe(false)
  expect(mayHold(held, "message", { token: "b", until: 200 }, 120)).toBe(true)
  releaseHolding(held, "message", "b")
  expect(mayHold(held, "message", { token: "c", until: 300 }, 121)).toBe(true)
})
