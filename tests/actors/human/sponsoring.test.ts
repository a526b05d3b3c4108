/** What a person may declare, and what the account remembers of it (contract 20). */
import { expect, test } from "vitest"
import { evolveHuman } from "../../../actors/human/evolve.ts"
import { decideDeclare, decideEnded } from "../../../actors/human/sponsoring.ts"
import type { Human, HumanEvent, HumanState } from "../../../actors/human/state.ts"
import { decideConfirm } from "../../../actors/human/decide.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { PASSWORD_PARAMETERS } from "../../../schemas/human/password.ts"
import type { SponsorshipFacts } from "../../../schemas/sponsorship/operations.ts"
import type { SponsorshipStatus } from "../../../schemas/sponsorship/records.ts"

const { owner } = LIMITS.limits
const ID = "hum_aaaaaaaaaaaaaaaa"
const HOUR = 3_600_000
const WEEK = owner.refused_wait_seconds * 1000

class Account {
  state: HumanState = null
  events: Array<HumanEvent> = []

  constructor() {
    this.apply([
      {
        type: "human.registered",
        v: 1,
        personal: "sealed",
        address: "hash",
        password: { sealed: "sealed", parameters: PASSWORD_PARAMETERS }
      },
      { type: "human.link_made", v: 1, purpose: "verify_address", token: "link", expires_at: 9 * WEEK }
    ])
  }

  get human(): Human {
    if (this.state === null || this.state.status === "deleted") throw new Error("no account")
    return this.state
  }

  apply(events: ReadonlyArray<HumanEvent>): void {
    for (const event of events) this.state = evolveHuman(this.state, event, { at: 0 })
    this.events.push(...events)
  }

  /** The refusal, or what was begun. */
  declare(agent: string, number: number, before: SponsorshipFacts | null = null, at = 0) {
    const context = { id: ID, at, seq: 0, facts: { number, before, earlier: 0, admits: null } }
    const decision = decideDeclare(this.state, { agent, role: "creator" }, context, owner)
    if ("refused" in decision) return decision.refused
    this.apply(decision.events)
    return decision.companions?.[0]
  }

  end(sponsorship: number): void {
    const context = { id: ID, at: 0, seq: 0, facts: { posted: {} } }
    const decision = decideEnded(this.state, { sponsorship, status: "revoked" }, context)
    this.apply(decision.events ?? [])
  }
}

const stands = (status: SponsorshipStatus, endedAt: number | null = null): SponsorshipFacts => ({
  id: 1,
  human: ID,
  agent: "hx1",
  role: "creator",
  status,
  created_at: new Date(0).toISOString(),
  confirmed_at: null,
  ended_at: endedAt === null ? null : new Date(endedAt).toISOString()
})

test("a declaration begins a sponsorship in the same commit", () => {
  const account = new Account()
  expect(account.declare("hx1", 7)).toEqual({
    kind: "sponsorship",
    id: "7",
    expected: 0,
    drawn: true,
    events: [{ type: "sponsorship.declared", v: 1, human: ID, agent: "hx1", role: "creator", verified: false }]
  })
  expect(account.human.sponsorships).toEqual([{ id: 7, agent: "hx1", open: true }])
})

test.each([
  ["pending", null, 0, { status: "pending" }],
  ["confirmed", null, 0, { status: "confirmed" }],
  ["refused", HOUR, WEEK + HOUR - 1, { status: "refused", until: new Date(WEEK + HOUR).toISOString() }],
  ["refused", HOUR, WEEK + HOUR, null],
  ["revoked", HOUR, HOUR, null],
  ["withdrawn", HOUR, HOUR, null]
] as const)("one that is %s since %s at %s", (status, endedAt, at, details) => {
  const account = new Account()
  account.declare("hx1", 1)
  const declared = account.declare("hx1", 2, stands(status, endedAt), at)
  if (details === null) expect(declared).toMatchObject({ id: "2" })
  else expect(declared).toMatchObject({ code: "sponsorship_exists", details })
})

test("as many may be open as are allowed; what ended makes room, and is remembered for a while", () => {
  const account = new Account()
  const { agents_max } = owner
  for (let number = 1; number <= agents_max; number++) account.declare(`hx${number}`, number)
  expect(account.declare("one-more", 1000)).toMatchObject({ code: "sponsorship_limit", details: { max: agents_max } })
  account.end(1)
  account.end(1)
  expect(account.declare("one-more", 1000)).toMatchObject({ id: "1000" })
  for (let number = 2; number <= agents_max; number++) account.end(number)
  for (let number = 2000; number < 2300; number++) {
    account.declare(`hx${number}`, number)
    account.end(number)
  }
  const { sponsorships } = account.human
  expect(sponsorships.filter(({ open }) => open)).toEqual([{ id: 1000, agent: "one-more", open: true }])
  expect(sponsorships.length).toBe(201)
  expect(sponsorships.at(-1)).toEqual({ id: 2299, agent: "hx2299", open: false })
})

test("what is open is told with the address that is confirmed", () => {
  const account = new Account()
  account.declare("hx1", 1)
  account.declare("hx2", 2)
  account.end(1)
  const decision = decideConfirm(account.state, { token: "link" }, { at: 0 })
  expect(decision.events?.at(-1)).toEqual({ type: "human.address_confirmed", v: 1, sponsorships: [2] })
  account.apply(decision.events ?? [])
  expect(account.declare("hx3", 3)).toMatchObject({ events: [{ verified: true }] })
})
