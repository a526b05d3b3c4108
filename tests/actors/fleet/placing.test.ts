/** Where compartments go: a thousand of them on fifty hosts that die, drain and come back, decided as the fleet decides. */
import fc from "fast-check"
import { expect, test } from "vitest"
import {
  type Decided,
  decideCreate,
  decideDrain,
  decideFate,
  decideForget,
  decideOwn,
  decideRelease,
  decideRename,
  decideReport,
  takenOf
} from "../../../actors/fleet/decide.ts"
import { evolveFleet, type FleetState, NO_FLEET } from "../../../actors/fleet/state.ts"
import { RUNTIME_TERMS_VERSIONS } from "../../../schemas/compartment/records.ts"
import type { HostReport } from "../../../schemas/fleet/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const HOSTS = 50
const EACH = 20
const ALL = HOSTS * EACH

const hostId = (index: number): string => `host_${String(index).padStart(16, "0")}`
const compartmentId = (index: number): string => `cmp_${String(index).padStart(20, "0")}`

const report = (index: number, more: Partial<HostReport> = {}): HostReport => ({
  host: hostId(index),
  name: `machine-${index}`,
  max: EACH,
  reason: null,
  isolation: "runc",
  image: "hub-compartment:1",
  public_key: "k",
  firewall: true,
  egress: true,
  ...more
})

class Fleet {
  state: FleetState = NO_FLEET
  readonly away = new Set<string>()
  readonly isAway = (host: string): boolean => this.away.has(host)

  /** The code of a refusal; `null`: it was done. */
  take(decision: Decided<unknown>): string | null {
    if ("refused" in decision) return decision.refused.code
    for (const event of decision.events) this.state = evolveFleet(this.state, event)
    // Hosts do at once what is wanted of them.
    const ended = decision.events.flatMap((event) =>
      event.type === "fleet.fated" && event.fate === "end" ? event.compartments : []
    )
    for (const compartment of ended) this.take(decideRelease(this.state, { compartment }))
    return null
  }

  create(index: number, more: { readonly agent?: string; readonly name?: string; readonly owner?: string } = {}) {
    const { agent = `HX-${index}`, name = "one", owner = null } = more
    const wanted = { id: compartmentId(index), agent, name, command: "c", image: null, secrets: [], hub_key: null }
    const facts = { owner, isAway: this.isAway }
    return this.take(decideCreate(this.state, { ...wanted, human: null }, facts, LIMITS))
  }

  report(index: number, more: Partial<HostReport> = {}) {
    return this.take(decideReport(this.state, report(index, more), LIMITS.service.runtime.hosts_max))
  }

  /** No host has more than it has room for, with what is left there, and nobody two places. */
  holds(): void {
    for (const { host, max } of this.state.hosts)
      expect(this.state.places.filter((place) => place.host === host).length).toBeLessThanOrEqual(max)
    const ids = this.state.places.map(({ compartment }) => compartment)
    expect(new Set(ids).size).toBe(ids.length)
  }
}

const fullFleet = (): Fleet => {
  const fleet = new Fleet()
  for (let index = 0; index < HOSTS; index++) expect(fleet.report(index)).toBeNull()
  for (let index = 0; index < ALL; index++) expect(fleet.create(index)).toBeNull()
  return fleet
}

test("a thousand find their places, evenly; one more finds none", () => {
  const fleet = fullFleet()
  fleet.holds()
  expect(fleet.state.hosts.map(({ host }) => takenOf(fleet.state, host))).toEqual(Array(HOSTS).fill(EACH))
  expect(fleet.create(ALL)).toBe("runtime_full")
  expect(fleet.take(decideRelease(fleet.state, { compartment: compartmentId(7) }))).toBeNull()
  expect(fleet.create(ALL)).toBeNull()
})

test("half empty, they spread over all hosts", () => {
  const fleet = new Fleet()
  for (let index = 0; index < HOSTS; index++) fleet.report(index)
  for (let index = 0; index < ALL / 2; index++) fleet.create(index)
  expect(fleet.state.hosts.map(({ host }) => takenOf(fleet.state, host))).toEqual(Array(HOSTS).fill(EACH / 2))
})

test("hosts die: what is there stays placed there, and nothing new comes; given up, it moves where there is room", () => {
  const fleet = new Fleet()
  for (let index = 0; index < HOSTS; index++) fleet.report(index)
  for (let index = 0; index < 900; index++) fleet.create(index)
  const [dead, other] = [hostId(3), hostId(4)]
  fleet.away.add(dead)
  const before = fleet.state.places.filter(({ host }) => host === dead).length
  for (let index = 900; index < 950; index++) expect(fleet.create(index)).toBeNull()
  expect(takenOf(fleet.state, dead)).toBe(before)
  expect(fleet.take(decideForget(fleet.state, { host: dead }, fleet.isAway))).toBeNull()
  expect(fleet.state.hosts.some(({ host }) => host === dead)).toBe(false)
  expect(takenOf(fleet.state, dead)).toBe(0)
  expect(fleet.state.places).toHaveLength(950)
  fleet.holds()
  // For all of them there is no room: nothing is given up by halves.
  for (let index = 950; index < ALL; index++) fleet.create(index)
  const whole = fleet.state
  expect(fleet.take(decideForget(fleet.state, { host: other }, fleet.isAway))).toBe("runtime_full")
  expect(fleet.state).toBe(whole)
})

test("the terms accepted are those that the edge showed, and the oldest where it does not say", () => {
  const fleet = new Fleet()
  fleet.report(0)
  const wanted = { agent: "HX-1", name: "one", command: "c", image: null, secrets: [], hub_key: null, human: null }
  const accepted = (shown: { readonly terms?: string }) => {
    const facts = { owner: null, isAway: fleet.isAway }
    const decision = decideCreate(fleet.state, { id: compartmentId(1), ...wanted, ...shown }, facts, LIMITS)
    return "refused" in decision ? decision.refused : decision.companions?.[0]?.events[0]
  }
  for (const terms of RUNTIME_TERMS_VERSIONS) expect(accepted({ terms })).toMatchObject({ terms })
  expect(accepted({})).toMatchObject({ terms: "2026-11-25" })
})

test("what only an operator ends is to be tried again in an hour, what passes at once (contract 22)", () => {
  const fleet = new Fleet()
  const wanted = { agent: "HX-1", name: "one", command: "c", image: null, secrets: [], hub_key: null, human: null }
  const retryAfter = () => {
    const facts = { owner: null, isAway: fleet.isAway }
    const decision = decideCreate(fleet.state, { id: compartmentId(1), ...wanted }, facts, LIMITS)
    return "refused" in decision ? [decision.refused.code, decision.refused.retryAfter] : decision
  }
  expect(retryAfter()).toEqual(["runtime_unavailable", 3600])
  fleet.report(0, { reason: "it is being prepared: image", starting: true })
  expect(retryAfter()).toEqual(["runtime_unavailable", 15])
  fleet.report(0, { reason: "the rules do not stand", starting: false })
  expect(retryAfter()).toEqual(["runtime_unavailable", 3600])
  fleet.report(1)
  fleet.take(decideDrain(fleet.state, { host: hostId(1), drained: true }))
  expect(retryAfter()).toEqual(["runtime_unavailable", 3600])
  fleet.away.add(hostId(1))
  expect(retryAfter()).toEqual(["runtime_unavailable", 3600])
  fleet.away.add(hostId(0))
  expect(retryAfter()).toEqual(["runtime_unavailable", undefined])
})

test("one that is drained, or whose rules do not stand, gets nothing new; the reason is told", () => {
  const fleet = new Fleet()
  expect(fleet.create(1)).toBe("runtime_unavailable")
  fleet.report(0)
  fleet.take(decideDrain(fleet.state, { host: hostId(0), drained: true }))
  expect(fleet.create(1)).toBe("runtime_unavailable")
  // What it tells of itself does not end that.
  fleet.report(0, { max: 3 })
  expect(fleet.create(1)).toBe("runtime_unavailable")
  fleet.take(decideDrain(fleet.state, { host: hostId(0), drained: false }))
  expect(fleet.create(1)).toBeNull()
  fleet.report(0, { reason: "the rules do not stand", firewall: false })
  const refused = decideCreate(
    fleet.state,
    {
      id: compartmentId(2),
      agent: "HX-2",
      name: "one",
      command: "c",
      image: null,
      secrets: [],
      hub_key: null,
      human: null
    },
    { owner: null, isAway: fleet.isAway },
    LIMITS
  )
  expect(refused).toMatchObject({ refused: { details: { reason: "the rules do not stand" } } })
})

test("each owner has one, whichever of their agents asks; an agent without an owner is its own", () => {
  const fleet = new Fleet()
  fleet.report(0)
  expect(fleet.create(1, { agent: "HX-1", owner: "person" })).toBeNull()
  expect(fleet.create(2, { agent: "HX-2", owner: "person" })).toBe("compartment_limit")
  expect(fleet.create(3, { agent: "HX-1", owner: "person" })).toBe("compartment_name_taken")
  expect(fleet.create(4, { agent: "HX-2" })).toBeNull()
  expect(fleet.create(5, { agent: "HX-2", name: "two" })).toBe("compartment_limit")
  expect(fleet.take(decideRename(fleet.state, { compartment: compartmentId(4), name: "three" }))).toBeNull()
})

test("the fate of agents and people reaches theirs, and nobody else's", () => {
  const fleet = new Fleet()
  fleet.report(0)
  fleet.create(1, { agent: "HX-1", owner: "person" })
  fleet.create(2, { agent: "HX-2" })
  const suspended = decideFate(fleet.state, { agent: "HX-1", fate: "suspended", reason: "spam" })
  expect(suspended).toEqual({
    events: [
      { type: "fleet.fated", v: 1, compartments: [compartmentId(1)], fate: "suspend", by: "agent", reason: "spam" }
    ]
  })
  expect(decideFate(fleet.state, { agent: "HX-9", fate: "banned", reason: null })).toEqual({ events: [] })
  expect(decideFate(fleet.state, { human: "person" })).toMatchObject({
    events: [{ compartments: [compartmentId(1)], fate: "suspend", by: "owner" }]
  })
})

test("an agent's compartments follow its owner, and those that a person made do not", () => {
  const fleet = new Fleet()
  fleet.report(0)
  fleet.create(1, { agent: "HX-1", owner: "first" })
  fleet.create(2, { agent: "HX-2", owner: "other" })
  fleet.state = {
    ...fleet.state,
    places: fleet.state.places.map((place) => (place.agent === "HX-2" ? { ...place, ofHuman: true } : place))
  }
  const owned = (owner: string | null) =>
    ["HX-1", "HX-2"].map((agent) => fleet.take(decideOwn(fleet.state, { agent }, { facts: owner })))
  const owners = () => fleet.state.places.map(({ owner }) => owner)
  owned("second")
  expect(owners()).toEqual(["second", "other"])
  expect(decideOwn(fleet.state, { agent: "HX-1" }, { facts: "second" })).toEqual({ events: [] })
  expect(decideFate(fleet.state, { human: "other" })).toMatchObject({
    events: [{ compartments: [compartmentId(2)], fate: "end" }]
  })
  expect(decideFate(fleet.state, { human: "first" })).toEqual({ events: [] })
  owned(null)
  expect(decideFate(fleet.state, { human: "second" })).toEqual({ events: [] })
})

test("a person's place is free once the agent has another owner", () => {
  const fleet = new Fleet()
  fleet.report(0)
  fleet.create(1, { agent: "HX-1", owner: "first" })
  expect(fleet.create(2, { agent: "HX-2", owner: "first" })).toBe("compartment_limit")
  fleet.take(decideOwn(fleet.state, { agent: "HX-1" }, { facts: null }))
  expect(fleet.create(2, { agent: "HX-2", owner: "first" })).toBeNull()
  expect(fleet.create(3, { agent: "HX-1", name: "two" })).toBe("compartment_limit")
})

test("the deletion of a person suspends an agent's compartment once, however often it is reported", () => {
  const fleet = new Fleet()
  fleet.report(0)
  fleet.create(1, { agent: "HX-1", owner: "person" })
  fleet.take(decideFate(fleet.state, { human: "person" }))
  expect(fleet.state.places).toMatchObject([{ owner: null }])
  expect(decideFate(fleet.state, { human: "person" })).toEqual({ events: [] })
})

test("what a deleted account leaves counts for nobody, and the oldest ends where room is needed", () => {
  const fleet = new Fleet()
  fleet.report(0, { max: 2 })
  fleet.create(1, { agent: "HX-1", owner: "person" })
  fleet.create(2, { agent: "HX-2" })
  expect(fleet.create(3)).toBe("runtime_full")
  for (const agent of ["HX-2", "HX-1"]) fleet.take(decideFate(fleet.state, { agent, fate: "deleted", reason: null }))
  expect(takenOf(fleet.state, hostId(0))).toBe(0)
  expect(fleet.state.places).toHaveLength(2)
  expect(fleet.create(3, { agent: "HX-3", owner: "person" })).toBeNull()
  expect(fleet.state.places.map(({ compartment }) => compartment)).toEqual([compartmentId(2), compartmentId(3)])
  expect(fleet.create(4)).toBeNull()
  expect(fleet.create(5)).toBe("runtime_full")
})

test("accounts that were deleted under an earlier release count for nobody either", () => {
  const fleet = new Fleet()
  fleet.report(0, { max: 2 })
  for (const index of [1, 2]) fleet.create(index, { agent: `HX-${index}` })
  const fated = (index: number, reason: string) =>
    evolveFleet(fleet.state, {
      type: "fleet.fated",
      v: 1,
      compartments: [compartmentId(index)],
      fate: "suspend",
      by: "agent",
      reason
    })
  fleet.state = fated(1, "its agent was suspended")
  expect(takenOf(fleet.state, hostId(0))).toBe(2)
  fleet.state = fated(2, "its agent has deleted its account")
  expect(takenOf(fleet.state, hostId(0))).toBe(1)
  expect(fleet.create(3)).toBeNull()
})

test("whatever hosts do, no place is given twice and no host has more than its room", () => {
  const act = fc.tuple(
    fc.constantFrom("create", "release", "delete", "away", "back", "forget", "drain", "report"),
    fc.nat(9),
    fc.nat(59)
  )
  fc.assert(
    fc.property(fc.array(act, { maxLength: 120 }), (acts) => {
      const fleet = new Fleet()
      for (let index = 0; index < 10; index++) fleet.report(index, { max: 4 })
      for (const [what, host, compartment] of acts) {
        if (what === "create" && !fleet.state.places.some((one) => one.compartment === compartmentId(compartment)))
          fleet.create(compartment)
        if (what === "release") fleet.take(decideRelease(fleet.state, { compartment: compartmentId(compartment) }))
        if (what === "delete")
          fleet.take(decideFate(fleet.state, { agent: `HX-${compartment}`, fate: "deleted", reason: null }))
        if (what === "away") fleet.away.add(hostId(host))
        if (what === "back") fleet.away.delete(hostId(host))
        if (what === "forget") fleet.take(decideForget(fleet.state, { host: hostId(host) }, fleet.isAway))
        if (what === "drain") fleet.take(decideDrain(fleet.state, { host: hostId(host), drained: host % 2 === 0 }))
        if (what === "report") fleet.report(host, { max: 4 })
        fleet.holds()
      }
    }),
    { numRuns: 300 }
  )
})
