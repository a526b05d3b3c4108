/** Tokens of fill services in compartments: when they end, and where room for another comes from. Pure. */
import { expect, test } from "vitest"
import type { CompartmentEvent } from "../../../actors/compartment/noun.ts"
import { decideMisused } from "../../../actors/vault/decide-fills.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import { tokensEnd } from "../../../actors/vault/reactions.ts"
import { type AdmissionFacts, decideAdmitService, decideCheckService } from "../../../actors/vault/services.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const UID = "0d155771-8b7d-4ac4-bcef-166fd4a481c7"
const AGENT = "hx1"
const bounds = LIMITS.service.vault
const place = (n: number): string => `cmp_${String(n).padStart(20, "0")}`
const NONE_OVER: AdmissionFacts = { isOver: false, over: [] }

class World {
  state: VaultState = null

  constructor() {
    this.fold([
      { type: "vault.created", v: 1, uid: UID },
      { type: "vault.key_published", v: 1, uid: UID, public_key: "key" }
    ])
  }

  fold(events: ReadonlyArray<VaultEvent>): void {
    for (const event of events) this.state = evolveVault(this.state, event, { at: 0 })
  }

  get services(): ReadonlyArray<string> {
    return (this.state?.services ?? []).map(({ hash }) => hash)
  }

  admit(input: { place: string; hash: string; run?: number }, facts: AdmissionFacts = NONE_OVER): string | null {
    const decision = decideAdmitService(this.state, { uid: UID, ...input }, { facts }, bounds)
    if ("refused" in decision) return decision.refused.code
    this.fold(decision.events)
    return null
  }

  check(n: number, present: { readonly runs: boolean; readonly run?: number; readonly stopping?: true }): void {
    const decision = decideCheckService(this.state, { place: place(n) }, { facts: present })
    if ("refused" in decision) throw new Error(decision.refused.code)
    this.fold(decision.events)
  }
}

test("a token ends with its run, and its later use is that of an ended token", () => {
  const world = new World()
  world.admit({ place: place(1), hash: "one", run: 1 })
  world.admit({ place: "operator", hash: "operators" })
  world.check(1, { runs: true, run: 1 })
  expect(world.services).toEqual(["one", "operators"])
  world.check(1, { runs: false, run: 1 })
  expect(world.services).toEqual(["operators"])
  expect(world.state?.ended).toEqual(["one"])
  expect(world.admit({ place: place(1), hash: "one", run: 1 })).toBe("token_invalid")
})

test("a program that is about to be stopped makes no alert, a later use of its token does", () => {
  const world = new World()
  for (const n of [1, 2]) world.admit({ place: place(n), hash: `of ${n}`, run: 1 })
  world.check(1, { runs: false, run: 1, stopping: true })
  world.check(2, { runs: false, run: 1 })
  const told = (n: number, at: number) => {
    const { events = [] } = decideMisused(world.state, { hash: `of ${n}` }, { at }, { ...LIMITS.vault, ...bounds })
    return events.map((event) => event.type === "vault.alerted" && event.event)
  }
  expect([told(1, 59_999), told(1, 60_000), told(2, 1)]).toEqual([[], ["token_ended"], ["token_ended"]])
})

test("a late end of a run leaves the token of the next run, and a token of the run before ends", () => {
  const world = new World()
  world.admit({ place: place(1), hash: "second", run: 2 })
  world.check(1, { runs: true, run: 2 })
  expect(world.services).toEqual(["second"])
  world.check(1, { runs: true, run: 3 })
  expect(world.services).toEqual([])
})

test("a token without a run, from an older release, ends when the compartment runs no more", () => {
  const world = new World()
  world.admit({ place: place(1), hash: "old" })
  world.check(1, { runs: true, run: 7 })
  expect(world.services).toEqual(["old"])
  world.check(1, { runs: false })
  expect(world.services).toEqual([])
})

test("no token is admitted for a run that is over", () => {
  const world = new World()
  expect(world.admit({ place: place(1), hash: "one", run: 1 }, { isOver: true, over: [] })).toBe("not_found")
})

test("a full vault gives the places of compartments that run no more, and no others", () => {
  const world = new World()
  for (let n = 0; n < bounds.tokens_max; n++) expect(world.admit({ place: place(n), hash: `h${n}` })).toBeNull()
  const next = { place: place(99), hash: "next", run: 1 }
  expect(world.admit(next)).toBe("vault_full")
  expect(world.admit(next, { isOver: false, over: [place(0), place(3)] })).toBeNull()
  expect(world.services).toHaveLength(bounds.tokens_max - 1)
  expect(world.services).toContain("next")
  expect(world.state?.ended).toEqual(["h0", "h3"])
})

const told = (event: CompartmentEvent) => {
  const commit = { v: 1, id: "c", op: "o", at: 1, events: [event] } as const
  return tokensEnd.follows("compartment", commit, { id: place(1), seq: 5, at: 1 })
}

const CHECK = [{ op: "vault.check_service", kind: "vault", actor: AGENT, input: { place: place(1) } }]
const about = { agent: AGENT, name: "one" }

test("the vault checks the token after every event that may end a run", () => {
  const how = { exit_code: 1, oom_killed: false, why: "program", error: null, at: 1 } as const
  expect(told({ type: "compartment.exited", v: 1, run: 1, ...how, ...about })).toEqual(CHECK)
  expect(told({ type: "compartment.suspended", v: 1, by: "operator", reason: "stolen", ...about })).toEqual(CHECK)
  expect(told({ type: "compartment.deleting", v: 1, agent: AGENT })).toEqual(CHECK)
  expect(told({ type: "compartment.moved", v: 1, from: "a", host: "b", run: 2, agent: AGENT })).toEqual(CHECK)
})

test("events of older releases that do not name the agent cause nothing", () => {
  expect(told({ type: "compartment.deleting", v: 1 })).toEqual([])
  expect(told({ type: "compartment.moved", v: 1, from: "a", host: "b" })).toEqual([])
})
