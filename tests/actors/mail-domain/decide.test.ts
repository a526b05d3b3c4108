/** Mail domains as decisions, and what they fold into (spec 3.6; contract 20). */
import { describe, expect, test } from "vitest"
import {
  CHECK_TIMER,
  CLAIM_TIMER,
  decideCheck,
  decideClaimEnd,
  decideForget,
  decideOwn,
  FORGET_TIMER,
  toForget
} from "../../../actors/mail-domain/decide.ts"
import { decideDeclare } from "../../../actors/mail-domain/holder/decide.ts"
import { NO_DOMAIN } from "../../../actors/mail-domain/holder/state.ts"
import { recordOf } from "../../../actors/mail-domain/record.ts"
import { evolveMailDomain, type MailDomainState, NOT_HELD } from "../../../actors/mail-domain/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import { ALL, BEGIN, DAY, DKIM, DOMAIN, EMAIL, failed, NO_MX, NO_PROOF, OTHERS, PROOF, SILENT, World } from "./world.ts"

const anActive = (): World => {
  const world = new World()
  world.declare("ada")
  world.verify("ada", ALL)
  return world
}

const SERVICE = LIMITS.service.mail
const forget = (state: MailDomainState, fired: FiredTimer, at: number, forgotten = true) =>
  decideForget(state, fired, { id: "d", at, facts: { forgotten } }, SERVICE)

const shown = ({ state }: World) => (state.held === null ? null : recordOf(state.held))

describe("a domain", () => {
  test("is pending, then active once every required record is there", () => {
    const world = new World()
    expect(world.declare("ada")).toBe("declared")
    expect(shown(world)).toMatchObject({ status: "pending", last_check: null, claim_expires_at: expect.any(String) })
    expect(world.verify("ada", NO_MX)).toBe("checked")
    expect(shown(world)).toMatchObject({
      status: "pending",
      claim_expires_at: null,
      last_check: { missing: ["MX mx.acme.example"] },
      records: [{ found: true }, { found: false }, { found: false }]
    })
    expect(world.verify("ada", SILENT)).toBe("checked")
    expect(shown(world)?.records.map((one) => "found" in one)).toEqual([false, false, false])
    expect(world.verify("ada", ALL)).toBe("checked activated check_due")
    expect(shown(world)).toMatchObject({ status: "active", last_check: { missing: [] } })
    expect(world.verify("bob", ALL)).toBe("email_domain_unknown")
  })

  test("that fails has three days of grace, counts them, and is pending then", () => {
    const world = anActive()
    for (const days_left of [3, 2, 1]) {
      expect(world.check(NO_MX)).toBe("checked check_due failing")
      expect(world.events.at(-1)).toMatchObject({ missing: ["MX mx.acme.example"], days_left })
    }
    expect(world.state.held).toMatchObject({ active: true, failing_since: BEGIN + DAY })
    expect(world.check(NO_MX)).toBe("checked downgraded")
    expect(shown(world)).toMatchObject({
      status: "pending",
      failing_since: null,
      downgraded_at: new Date(BEGIN + 4 * DAY).toISOString(),
      claim_expires_at: null
    })
    expect(world.state.held?.next_check).toBeNull()
    expect(world.verify("ada", ALL)).toBe("checked activated check_due")
    expect(shown(world)).toMatchObject({ status: "active", downgraded_at: null })
  })

  test("whose proof nobody tells of when it is lost has an end, unless it is seen", () => {
    const world = anActive()
    const unknown = { found: [null, false, null], provider: null }
    for (let day = 0; day < 3; day++) world.check(unknown)
    expect(world.check(unknown)).toBe("checked downgraded claim_kept")
    expect(world.state.held?.claim_until).toBe(world.at + 3 * DAY)
    world.verify("ada", NO_MX)
    expect(world.state.held?.claim_until).toBeNull()
  })

  test("that has its records again is well, by its check or its agent's", () => {
    const world = anActive()
    world.check(NO_MX)
    expect(world.check(ALL)).toBe("checked check_due recovered")
    world.check(NO_MX)
    expect(world.verify("ada", ALL)).toBe("checked recovered")
    expect(world.state.held?.failing_since).toBeNull()
    expect(world.check(NO_MX)).toBe("checked check_due failing")
    expect(world.events.at(-1)).toMatchObject({ days_left: 3 })
  })

  test("is not judged by a day without an answer, however long", () => {
    const world = anActive()
    for (let day = 0; day < 10; day++) expect(world.check(SILENT)).toBe("checked check_due")
    world.check(NO_MX)
    for (let day = 0; day < 10; day++) expect(world.check(SILENT)).toBe("checked check_due")
    expect(world.state.held).toMatchObject({ active: true, failing_since: BEGIN + 11 * DAY })
    expect(world.check(NO_MX)).toBe("checked downgraded")
  })

  test.each(["PENDING", "TEMPORARY_FAILURE", "NOT_STARTED", "SUCCESS"] as const)(
    "whose provider says %s is well",
    (say) => {
      expect(anActive().check(failed(say))).toBe("checked check_due")
    }
  )

  test("that its provider has given up fails, records or not", () => {
    const world = anActive()
    expect(world.check(failed("FAILED"))).toBe("checked check_due failing")
    expect(world.events.at(-1)).toMatchObject({ missing: ["provider"] })
  })

  test("whose provider needs other records needs these from then on, and its agent is told", () => {
    const world = anActive()
    const dkim = { type: "CNAME", name: `new.${DOMAIN}`, value: "new", required: true, purpose: "dkim" } as const
    const records = [PROOF, OTHERS[0], dkim]
    const changed = { found: [true, true, false], provider: "PENDING", records } as const
    expect(world.check(changed)).toBe("records_changed checked check_due failing")
    expect(world.events.at(-1)).toMatchObject({ missing: [`CNAME new.${DOMAIN}`], days_left: 3 })
    expect(shown(world)).toMatchObject({ status: "active", records: [{}, {}, { ...dkim, found: false }] })
    expect(world.verify("ada", { found: [true, true, true], provider: "SUCCESS" })).toBe("checked recovered")
    const pending = new World()
    pending.declare("ada")
    expect(pending.verify("ada", changed)).toBe("records_changed checked")
    expect(pending.verify("ada", { found: [true, true, true], provider: null })).toBe("checked activated check_due")
    expect(pending.state.held?.records).toEqual(records)
  })

  test("knows its own timers alone", () => {
    const world = anActive()
    const due = world.state.held?.next_check ?? 0
    const decided = (fired: { name: string; at: number }, at: number) =>
      decideCheck(world.state, fired, { at, facts: NO_MX }, EMAIL)
    expect(decided({ name: CHECK_TIMER, at: due - 1 }, due)).toEqual({ events: [] })
    expect(decided({ name: CHECK_TIMER, at: due }, due - 1)).toMatchObject({ refused: { code: "unavailable" } })
    expect(decideCheck(NOT_HELD, { name: CHECK_TIMER, at: due }, { at: due, facts: NO_MX }, EMAIL)).toEqual({
      events: []
    })
  })
})

describe("a claim", () => {
  test("without proof or mailbox ends after 72 hours", () => {
    const world = new World()
    world.declare("ada")
    expect(world.state.held?.claim_until).toBe(BEGIN + 3 * DAY)
    world.verify("ada", NO_PROOF)
    expect(world.claimEnds()).toBe("released")
    expect([world.state.held, world.holder("ada").state.domain]).toEqual([null, null])
    expect(world.events.at(-1)).toMatchObject({ agent: "ada", why: "expired", claim: 1 })
    const fired = { name: "forget", at: 1000 }
    expect(forget(world.state, fired, 1000)).toMatchObject({
      events: [{ type: "mail_domain.forgotten" }]
    })
    expect(world.declare("bob")).toBe("declared")
    // It may be early, before the commit that gives it up; what is held again stays.
    expect(forget(world.state, fired, 1500)).toMatchObject({ refused: { code: "unavailable" } })
    expect(forget(world.state, fired, 1000 + DAY)).toEqual({ events: [] })
  })

  test("that is proven does not end", () => {
    const world = new World()
    world.declare("ada")
    world.verify("ada", NO_MX)
    const fired = { name: CLAIM_TIMER, at: BEGIN + 3 * DAY }
    const facts = { mailboxes: 0, holderSeq: 1 }
    expect(decideClaimEnd(world.state, fired, { id: "d", at: fired.at, facts }, EMAIL)).toEqual({ events: [] })
  })

  test("of a domain that lost its proof ends too, but not while it has mailboxes", () => {
    const world = anActive()
    for (let day = 0; day < 4; day++) world.check(NO_PROOF)
    const until = world.at + 3 * DAY
    expect(world.state.held).toMatchObject({ active: false, claim_until: until })
    expect(world.claimEnds(1)).toBe("claim_kept")
    expect(world.state.held?.claim_until).toBe(until + 3 * DAY)
    expect(world.claimEnds(0)).toBe("released")
  })
})

describe("another agent", () => {
  test("does not get an active domain, whatever it proves", () => {
    const world = anActive()
    expect(world.declare("bob", true)).toBe("email_domain_taken")
    world.check(NO_PROOF)
    expect(world.declare("bob", true)).toBe("email_domain_taken")
  })

  test("gets one that is not, once it proves it", () => {
    const world = new World()
    world.declare("ada")
    expect(world.declare("bob")).toBe("email_domain_taken")
    expect(world.declare("bob", true)).toBe("declared")
    expect(world.state).toMatchObject({ claim: 2, held: { agent: "bob", active: false, claim_until: null } })
    expect(world.events.at(-1)).toMatchObject({ from: "ada" })
    expect([world.holder("ada").state.domain, world.holder("bob").state.domain]).toEqual([null, DOMAIN])
    expect(world.verify("ada", ALL)).toBe("email_domain_unknown")
  })
})

describe("an agent", () => {
  test("declares a domain once, has one, and three a day", () => {
    const world = new World()
    for (let count = 0; count < 3; count++) {
      expect(world.declare("ada")).toBe("declared")
      expect(world.declare("ada")).toBe("email_domain_exists")
      expect(world.release("ada")).toBe("left")
      world.at += 1000
    }
    expect(world.declare("ada")).toBe("email_domain_declarations")
    expect(world.declare("bob")).toBe("declared")
    world.release("bob")
    world.at = BEGIN + DAY
    expect(world.declare("ada")).toBe("declared")
    world.release("ada")
    expect(world.declare("ada")).toBe("email_domain_declarations")
    expect(world.release("ada")).toBe("email_domain_unknown")
    expect(world.release("ada", null)).toBe("")
  })

  test("is told when it may declare again", () => {
    const declared = [BEGIN, BEGIN + 1, BEGIN + 2]
    const facts = { standing: { seq: 0, claim: 0, held: null }, proof: PROOF, proven: false, fromSeq: 0 }
    const context = { id: "ada", at: BEGIN + 3000, facts: { ...facts, records: OTHERS, dkim: DKIM } }
    expect(decideDeclare({ domain: null, declared }, { domain: DOMAIN }, context, EMAIL)).toMatchObject({
      refused: {
        code: "email_domain_declarations",
        retryAfter: 86_397,
        details: { limit: 3, window_seconds: 86_400, retry_after: 86_397 }
      }
    })
  })

  test("has one domain", () => {
    const facts = { standing: { seq: 0, claim: 0, held: null }, proof: PROOF, proven: false, fromSeq: 0 }
    const context = { id: "ada", at: BEGIN, facts: { ...facts, records: OTHERS, dkim: DKIM } }
    const state = { domain: "other.example", declared: [] }
    expect(decideDeclare(state, { domain: DOMAIN }, context, EMAIL)).toMatchObject({
      refused: { code: "email_domain_limit", details: { domain: "other.example" } }
    })
  })
})

test("one that the provider does not forget is told of ever later, and given up after days", () => {
  const world = new World()
  world.declare("ada")
  world.release("ada")
  let [state, due, turns] = [world.state, world.at, 0]
  const waits: Array<number> = []
  for (;;) {
    const fired = { name: FORGET_TIMER, at: due }
    const decided = forget(state, fired, due, false)
    if ("refused" in decided) throw new Error("refused")
    expect(++turns).toBeLessThan(30)
    state = decided.events.reduce((before, event) => evolveMailDomain(before, event, { at: due }), state)
    const [timer] = decided.timers ?? []
    if (timer === undefined) {
      expect(decided.events).toEqual([{ type: "mail_domain.forgotten", v: 1, given_up: true }])
      break
    }
    expect(timer).toMatchObject({ name: FORGET_TIMER, of: { kind: "mail_domain", id: "d" } })
    // That of another chain, or the same again, is nobody's.
    expect(forget(state, fired, due, false)).toEqual({ events: [] })
    // The bus's clock, which fires the timer, may be ahead of the node's by more than the wait.
    const ahead = { name: FORGET_TIMER, at: timer.at }
    expect(toForget(state, ahead, due)).toBeNull()
    expect(forget(state, ahead, due, false)).toMatchObject({ refused: { code: "unavailable" } })
    waits.push(timer.at - due)
    due = timer.at
  }
  expect(state.left).toBeNull()
  expect(due - world.at).toBeGreaterThanOrEqual(SERVICE.forget_give_up_seconds * 1000)
  expect(waits[0]).toBe(SERVICE.forget_again_ms)
  expect(waits.at(-1)).toBe(SERVICE.forget_again_max_ms)
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(forget(world.state, { name: FORGET_TIMER, at: world.at }, world.at)).toEqual({
    events: [{ type: "mail_domain.forgotten", v: 1 }]
  })
})

test("the service's own is nobody's, and made once", () => {
  const facts = { domain: "mail.ours.example", records: OTHERS, dkim: DKIM }
  const decided = decideOwn(NOT_HELD, { facts })
  if ("refused" in decided) throw new Error("refused")
  const state = decided.events.reduce((before, event) => evolveMailDomain(before, event, { at: BEGIN }), NOT_HELD)
  expect(state.held).toMatchObject({ agent: null, domain: "mail.ours.example" })
  expect(decideOwn(state, { facts })).toEqual({ events: [] })
  const standing = { seq: 1, claim: 1, held: { agent: null, active: false, claim_until: null } }
  const context = { standing, proof: PROOF, proven: true, fromSeq: 0, records: OTHERS, dkim: DKIM }
  expect(
    decideDeclare(NO_DOMAIN, { domain: facts.domain }, { id: "ada", at: BEGIN, facts: context }, EMAIL)
  ).toMatchObject({ refused: { code: "email_domain_reserved" } })
})
