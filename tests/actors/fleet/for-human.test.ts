/** A compartment for a person as a decision: one commit of everything, refusals before anything, the same again. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { evolve as evolveAgent } from "../../../actors/agent/evolve.ts"
import { decideSponsorshipNews } from "../../../actors/agent/sponsor/decide.ts"
import type { AgentEvent, AgentState } from "../../../actors/agent/state.ts"
import { decideFate } from "../../../actors/fleet/decide.ts"
import { decideForHuman, type ForHumanFacts, handleFor } from "../../../actors/fleet/for-human.ts"
import { evolveFleet, type FleetState, NO_FLEET } from "../../../actors/fleet/state.ts"
import { adoptRefusal } from "../../../actors/human/sponsoring.ts"
import type { HumanState } from "../../../actors/human/state.ts"
import { HANDLE_PATTERN, LOOKS_LIKE_IDENTITY } from "../../../schemas/agent/fields.ts"
import { NAME } from "../../../schemas/compartment/fields.ts"
import type { CompartmentOfHuman, HostReport } from "../../../schemas/fleet/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const AT = 1_800_000_000_000
const HUMAN = "hum_aaaaaaaaaaaaaaaa"
const HOST: HostReport = {
  host: "host_1",
  name: "one",
  max: 3,
  reason: null,
  isolation: "runc",
  image: "i",
  public_key: "k",
  firewall: true,
  egress: true
}
const withHost = (change: Partial<HostReport> = {}): FleetState =>
  evolveFleet(NO_FLEET, { type: "fleet.host_changed", v: 1, host: { ...HOST, ...change, drained: false } })

const FACTS: ForHumanFacts = {
  isAway: () => false,
  seq: 41,
  number: 7,
  sponsorship: 9,
  handle: "quiet-bcdfgh",
  sealedSecret: "sealed"
}
const WANTED: CompartmentOfHuman = {
  id: "cmp_1",
  human: HUMAN,
  name: "quiet",
  command: "sleep infinity",
  public_key: Buffer.alloc(32, 1).toString("base64"),
  hub_key: "box"
}
const decide = (state: FleetState, wanted = WANTED, facts = FACTS) =>
  decideForHuman(state, wanted, { id: "own", at: AT, seq: 1, facts }, LIMITS)

const done = (state: FleetState, wanted = WANTED) => {
  const decision = decide(state, wanted)
  if ("refused" in decision) throw new Error(decision.refused.message)
  return decision
}
const codeOf = (decision: ReturnType<typeof decide>): string => ("refused" in decision ? decision.refused.code : "done")

test("everything is in one commit, each part expected where it has to be", () => {
  const { companions = [], events, reply, timers } = done(withHost())
  const agent = reply?.agent ?? ""
  expect(events.map(({ type }) => type)).toEqual(["fleet.placed"])
  expect(companions.map(({ kind, id, expected }) => [kind, id, expected])).toEqual([
    ["compartment", "cmp_1", 0],
    ["agent", agent, 0],
    ["key", agent, 0],
    ["handle", "quiet-bcdfgh", 0],
    ["number", "HX-000007", 0],
    ["human", HUMAN, 41],
    ["sponsorship", "9", 0]
  ])
  expect(timers?.every(({ of }) => of?.kind === "agent" && of.id === agent)).toBe(true)
  expect(companions[0]?.events[0]).toMatchObject({ agent, human: HUMAN, owner: HUMAN, hub_key: "box" })
})

test("the compartment keeps the version of the terms that the person was shown", () => {
  const born = (wanted: CompartmentOfHuman) => done(withHost(), wanted).companions?.[0]?.events[0]
  expect(born({ ...WANTED, terms: "2026-11-27" })).toMatchObject({ terms: "2026-11-27" })
  expect(born(WANTED)).toMatchObject({ terms: "2026-11-25" })
})

test("the agent knows from its first event on who carries it, and what it is told of that later changes nothing", () => {
  const born = (done(withHost()).companions ?? []).find(({ kind }) => kind === "agent")
  const events = (born?.events ?? []) as ReadonlyArray<AgentEvent>
  const agent = events.reduce<AgentState>((state, event) => evolveAgent(state, event, { at: AT }), null)
  const told = { humans: [], at: AT }
  expect(agent?.sponsors).toEqual([
    {
      id: 9,
      human: HUMAN,
      role: "creator",
      since: AT,
      verified: true,
      declared_verified: true,
      trust: null,
      told,
      opinions: []
    }
  ])
  expect(agent).toMatchObject({ provisional: true, trust: 10 })
  const context = { at: AT, facts: { notification: 1 } }
  for (const told of [
    { change: "declared", sponsorship: 9, human: HUMAN, role: "creator", verified: true },
    { change: "confirmed", sponsorship: 9, at: AT },
    { change: "verified", sponsorship: 9 }
  ] as const)
    expect(decideSponsorshipNews(agent, told, context)).toEqual({ events: [] })
})

test("asked again it answers as before, with another key pair as well; to another person there is none", () => {
  const first = done(withHost())
  const state = first.events.reduce(evolveFleet, withHost())
  const other = { ...WANTED, public_key: Buffer.alloc(32, 2).toString("base64") }
  expect(decide(state, other)).toEqual({ events: [], reply: first.reply })
  expect(codeOf(decide(state, { ...WANTED, human: "hum_b" }))).toBe("not_found")
  expect(codeOf(decide(state, { ...other, id: "cmp_2" }))).toBe("compartment_limit")
})

test.each([
  ["no host", NO_FLEET, "runtime_unavailable"],
  ["a host that can start nothing", withHost({ reason: "no rules" }), "runtime_unavailable"],
  ["no place", withHost({ max: 0 }), "runtime_full"]
])("where there is %s nothing at all is written", (_what, state, code) => {
  const decision = decide(state)
  expect([codeOf(decision), decision.events ?? []]).toEqual([code, []])
})

test("whatever a compartment is called, the handle is one, and another one each time", () => {
  const name = fc.stringMatching(NAME)
  const random = fc.uint8Array({ minLength: 6, maxLength: 6 })
  fc.assert(
    fc.property(name, random, (called, bytes) => {
      const handle = handleFor(called, bytes)
      expect(handle).toMatch(HANDLE_PATTERN)
      expect(handle).not.toMatch(LOOKS_LIKE_IDENTITY)
    })
  )
})

test("an account that is not there, not confirmed, or full makes no agent", () => {
  const human = { status: "active", email_verified: true, sponsorships: [] } as unknown as HumanState & object
  const open = Array.from({ length: 2 }, (_, id) => ({ id, agent: String(id), open: true }))
  const owner = { ...LIMITS.limits.owner, agents_max: 2 } as unknown as typeof LIMITS.limits.owner
  const of = (state: unknown) => adoptRefusal(state as HumanState, owner)?.code ?? "may"
  expect([
    of(null),
    of({ status: "deleted" }),
    of({ ...human, email_verified: false }),
    of({ ...human, sponsorships: open }),
    of({ ...human, sponsorships: open.map((one) => ({ ...one, open: false })) }),
    of(human)
  ]).toEqual(["not_found", "not_found", "email_owner_rule", "sponsorship_limit", "may", "may"])
})

test("with the account goes what it made, and what its agents made is suspended", () => {
  const state = done(withHost()).events.reduce(evolveFleet, withHost())
  const place = { compartment: "cmp_2", host: "host_1", agent: "hx2", owner: HUMAN, ofHuman: false, name: "own" }
  const both = evolveFleet(state, { type: "fleet.placed", v: 1, ...place })
  expect(decideFate(both, { human: HUMAN }).events).toMatchObject([
    { fate: "end", compartments: ["cmp_1"] },
    { fate: "suspend", compartments: ["cmp_2"], by: "owner" }
  ])
})
