/** Decisions on a person's account, by themselves: sealed texts stand for themselves here, nothing opens them. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type AddressEvent, evolveAddress } from "../../../actors/address/actor.ts"
import {
  decideConfirm,
  decideDelete,
  decideForgot,
  decideRegister,
  decideReset,
  decideVerification
} from "../../../actors/human/decide.ts"
import { evolveHuman } from "../../../actors/human/evolve.ts"
import { decideClose, decideEnd, decideOpen, openSession } from "../../../actors/human/session-decisions.ts"
import type { CodeUse } from "../../../actors/human/second-factor.ts"
import type { HumanEvent, HumanState, LinkPurpose } from "../../../actors/human/state.ts"
import type { FormerAccount } from "../../../schemas/human/operations.ts"
import {
  applied,
  changed,
  codeOf,
  context,
  ID,
  linkFacts,
  NO_CODE,
  opened,
  owner,
  password,
  proven,
  registered,
  registering,
  RIGHT,
  SECOND,
  secret,
  START,
  WRONG
} from "./accounts.ts"

describe("registration", () => {
  test("claims the address and makes a link in the same commit", () => {
    const decision = decideRegister(null, context({ ...registering, claimed: 7 }), owner)
    expect(decision).toMatchObject({
      events: [{ type: "human.registered" }, { type: "human.link_made", expires_at: START + 172_800 * SECOND }],
      companions: [{ kind: "address", id: "address", expected: 7, events: [{ type: "address.claimed", human: ID }] }]
    })
  })

  test("is done once", () => {
    expect(codeOf(decideRegister(registered(), context(registering), owner))).toBe("human_email_taken")
  })
})

describe("a link", () => {
  const confirmed = (state: HumanState, token: string, at = START) =>
    decideConfirm(state, { token: `hash of ${token}` }, { at })

  test("confirms once, and only the newest of its kind", () => {
    const first = registered()
    const state = applied(first, decideVerification(first, context(linkFacts("second")), owner))
    expect(codeOf(confirmed(state, "first"))).toBe("token_invalid")
    const done = applied(state, confirmed(state, "second"))
    expect(done).toMatchObject({ email_verified: true, links: [] })
    expect(codeOf(confirmed(done, "second"))).toBe("token_invalid")
    expect(codeOf(decideVerification(done, context(linkFacts("third")), owner))).toBe("already_verified")
  })

  test("ends with its time", () => {
    const end = START + owner.verify_link_seconds * SECOND
    expect(codeOf(confirmed(registered(), "first", end - 1))).toBeNull()
    expect(codeOf(confirmed(registered(), "first", end))).toBe("token_expired")
  })

  test("of one kind is none of the other", () => {
    const facts = { password: changed, posted: {} }
    expect(codeOf(decideReset(registered(), { token: "hash of first" }, context(facts)))).toBe("token_invalid")
  })

  test("so many letters an hour and no more; who forgot hears nothing of it", () => {
    let state: HumanState = registered()
    // The sign-up's letter came before: it is sent again so many times.
    const soon = START + 1
    for (let letter = 0; letter < owner.verify_letters.requests; letter++) {
      const sent = decideVerification(state, context(linkFacts(String(letter)), soon), owner)
      expect(codeOf(sent)).toBeNull()
      state = applied(state, sent, soon)
    }
    const refused = decideVerification(state, context(linkFacts("more"), soon), owner)
    expect(refused).toMatchObject({ refused: { code: "rate_limited", retryAfter: 3600 } })
    const later = soon + owner.verify_letters.window_seconds * SECOND
    expect(codeOf(decideVerification(state, context(linkFacts("more"), later), owner))).toBeNull()
    for (let letter = 0; letter < owner.forgot_per_account.requests; letter++)
      state = applied(state, decideForgot(state, context(linkFacts(`forgot ${letter}`)), owner))
    expect(decideForgot(state, context(linkFacts("once more")), owner)).toEqual({ events: [], reply: null })
  })
})

describe("a session", () => {
  test("is opened by the right password alone", () => {
    const facts = proven()
    const wrong = decideOpen(registered(), { password: WRONG, token: "t", code: null }, context(facts), owner)
    expect(codeOf(wrong)).toBe("login_failed")
    expect(openSession(opened(registered(), "t"), "t", START)).toMatchObject({ id: 1 })
  })

  test("ends with its time, and with its closing", () => {
    const state = opened(registered(), "t")
    expect(openSession(state, "t", START + owner.session_seconds * SECOND)).toBeNull()
    const closed = applied(state, decideClose(state, { token: "t" }, { at: START }))
    expect(openSession(closed, "t", START)).toBeNull()
    expect(codeOf(decideClose(closed, { token: "t" }, { at: START }))).toBe("session_invalid")
  })

  test("there are so many of one account: the oldest ends", () => {
    let state: HumanState = registered()
    for (let session = 0; session <= owner.sessions_max; session++)
      state = opened(state, `t${session}`, START + session)
    expect(state).toMatchObject({ sessions: { length: owner.sessions_max } })
    expect([openSession(state, "t0", START), openSession(state, "t1", START)]).toEqual([null, expect.anything()])
  })

  test("needs a code where the account asks for one, and a code is used up", () => {
    const state = { ...registered(), two_step: { sealed: "sealed", left: 10, step: 5 } }
    const open = (code: string | null, use: CodeUse) =>
      decideOpen(state, { password: RIGHT, token: "t", code }, context(proven(use)), owner)
    expect(open(null, NO_CODE)).toMatchObject({ refused: { code: "second_factor_required" } })
    expect(open("000000", NO_CODE)).toMatchObject({ refused: { code: "login_failed", details: { field: "code" } } })
    expect(applied(state, open("123456", { kind: "step", step: 6 }))).toMatchObject({ two_step: { step: 6 } })
    expect(applied(state, open("K7D3M-9QXWT", { kind: "recovery", sealed: "less", left: 9 }))).toMatchObject({
      two_step: { sealed: "less", left: 9, step: 5 }
    })
    // A wrong password hears nothing of the second step.
    const wrong = decideOpen(state, { password: WRONG, token: "t", code: null }, context(proven()), owner)
    expect(codeOf(wrong)).toBe("login_failed")
  })
})

describe("a form that opens a session", () => {
  const sent = (state: HumanState, token: string, at = START, use: CodeUse = NO_CODE, form = "form") =>
    decideOpen(state, { password: RIGHT, token, code: "123456", form }, context(proven(use), at), owner)

  test("leaves one, the last, however often it is sent", () => {
    const once = applied(registered(), sent(registered(), "t1"))
    const twice = applied(once, sent(once, "t2"))
    expect([openSession(twice, "t1", START), openSession(twice, "t2", START)]).toEqual([
      null,
      expect.objectContaining({ id: 2 })
    ])
    const other = applied(twice, sent(twice, "t3", START, NO_CODE, "another form"))
    expect(other).toMatchObject({ sessions: [{ id: 2 }, { id: 3 }] })
  })

  test("needs no second code for a minute, while its session stands, but the password each time", () => {
    const state = { ...registered(), two_step: { sealed: "sealed", left: 10, step: 5 } }
    const once = applied(state, sent(state, "t1", START, { kind: "step", step: 6 }))
    expect(codeOf(sent(once, "t2", START + 59 * SECOND))).toBeNull()
    expect(codeOf(sent(once, "t2", START + 60 * SECOND))).toBe("login_failed")
    expect(codeOf(sent(once, "t2", START, NO_CODE, "another form"))).toBe("login_failed")
    const closed = applied(once, decideClose(once, { token: "t1" }, { at: START }))
    expect(codeOf(sent(closed, "t2"))).toBe("login_failed")
    const wrong = { password: WRONG, token: "t2", code: null, form: "form" }
    expect(codeOf(decideOpen(once, wrong, context(proven()), owner))).toBe("login_failed")
  })
})

describe("sessions are ended", () => {
  const ids = (state: HumanState) =>
    state !== null && state.status === "active" ? state.sessions.map(({ id }) => id) : []
  const three = opened(opened(opened(registered(), "t1"), "t2"), "t3")
  const end = (token: string, session: number | null, at = START) => decideEnd(three, { token, session }, { at })

  test("one, or all but that which asks", () => {
    expect(ids(applied(three, end("t2", 1)))).toEqual([2, 3])
    expect(ids(applied(three, end("t2", 2)))).toEqual([1, 3])
    expect(ids(applied(three, end("t2", null)))).toEqual([2])
    expect(end("t2", 9)).toEqual({ events: [] })
  })

  test("by a session that holds", () => {
    expect(codeOf(end("nobody's", null))).toBe("session_invalid")
    expect(codeOf(end("t2", null, START + owner.session_seconds * SECOND))).toBe("session_invalid")
    expect(codeOf(decideEnd({ status: "deleted" }, { token: "t", session: null }, { at: START }))).toBe(
      "session_invalid"
    )
  })
})

test("nothing of an account that is deleted is left, and nothing more is decided of it", () => {
  const state = opened(registered(), "t")
  const facts = { secret, email: "ada@example.com", claimed: 9 }
  const ask = (confirm: string, tried = RIGHT) =>
    decideDelete(state, { password: tried, confirm }, context(facts), owner)
  expect(codeOf(ask("ada@example.com", WRONG))).toBe("login_failed")
  expect(codeOf(ask("else@example.com"))).toBe("confirmation_required")
  const gone = applied(state, ask("ada@example.com"))
  expect(gone).toEqual({ status: "deleted" })
  expect(openSession(gone, "t", START)).toBeNull()
  expect(codeOf(decideConfirm(gone, { token: "hash of first" }, { at: START }))).toBe("token_invalid")
  const open = decideOpen(gone, { password: RIGHT, token: "t", code: null }, context(proven()), owner)
  expect(codeOf(open)).toBe("login_failed")
})

test("what limits count of a deleted account goes on for the address's next one", () => {
  const facts = { secret, email: "ada@example.com", claimed: 9 }
  const first = { ...registered(), made: ["hx1"] }
  const sealed = { ...facts, left: "sealed for the address" }
  const released = decideDelete(first, { password: RIGHT, confirm: facts.email }, context(sealed), owner)
  expect(released).toMatchObject({
    companions: [{ events: [{ left: "sealed for the address", former: { made: [] } }] }]
  })
  const unanswered = [{ id: 7, agent: "hx2", seq: 3 }]
  const ending = decideDelete(
    first,
    { password: RIGHT, confirm: facts.email },
    context({ ...facts, unanswered }),
    owner
  )
  expect("refused" in ending ? null : ending.companions?.[1]).toEqual({
    kind: "sponsorship",
    id: "7",
    expected: 3,
    events: [{ type: "sponsorship.ended", v: 1, human: ID, agent: "hx2", status: "withdrawn" }]
  })
  const next = decideRegister(null, context({ ...registering, left: "sealed for the account" }), owner)
  expect(applied(null, next)).toMatchObject({ left: "sealed for the account", made: [] })
  const formerOf = (state: HumanState, at: number): FormerAccount | undefined => {
    const decision = decideDelete(state, { password: RIGHT, confirm: facts.email }, context(facts, at), owner)
    const [released] = "refused" in decision ? [] : (decision.companions ?? [])
    return evolveAddress({ human: ID }, released?.events[0] as AddressEvent).former
  }
  let [state, at]: [HumanState, number] = [first, START]
  for (let letters = 1; letters < owner.verify_letters.requests; letters++) {
    at += SECOND
    state = applied(null, decideRegister(null, context({ ...registering, former: formerOf(state, at) }, at), owner), at)
  }
  const again = (when: number) =>
    decideRegister(null, context({ ...registering, former: formerOf(state, when) }, when), owner)
  const typesOf = ({ events = [] }: { readonly events?: ReadonlyArray<HumanEvent> }) => events.map(({ type }) => type)
  // Without a letter, but with an account: nobody keeps an address from its holder.
  const soon = at + SECOND
  expect(typesOf(again(soon))).toEqual(["human.registered"])
  const quiet = applied(null, again(soon), soon)
  expect(codeOf(decideVerification(quiet, context(linkFacts("again"), soon), owner))).toBe("rate_limited")
  const later = START + owner.verify_letters.window_seconds * SECOND + 1
  expect(typesOf(again(later))).toEqual(["human.registered", "human.link_made"])
})

const purpose = fc.constantFrom<LinkPurpose>("verify_address", "reset_password")
const small = fc.nat({ max: 30 })
const events: fc.Arbitrary<HumanEvent> = fc.oneof(
  fc.constant<HumanEvent>({ type: "human.registered", v: 1, personal: "p", address: "a", password }),
  fc
    .record({ purpose, token: fc.string(), expires_at: small })
    .map((link): HumanEvent => ({ type: "human.link_made", v: 1, ...link })),
  purpose.map((used): HumanEvent => ({ type: "human.link_used", v: 1, purpose: used })),
  fc.constant<HumanEvent>({ type: "human.address_confirmed", v: 1 }),
  small.map((session): HumanEvent => ({
    type: "human.session_opened",
    v: 1,
    session,
    token: `t${session}`,
    expires_at: session
  })),
  fc.array(small).map((sessions): HumanEvent => ({ type: "human.sessions_closed", v: 1, sessions })),
  fc.constant<HumanEvent>({ type: "human.two_step_offered", v: 1, sealed: "s" }),
  small.map((step): HumanEvent => ({ type: "human.two_step_enabled", v: 1, sealed: "s", left: 10, step })),
  fc.constant<HumanEvent>({ type: "human.two_step_disabled", v: 1 }),
  small.map((step): HumanEvent => ({ type: "human.step_used", v: 1, step })),
  fc.constant<HumanEvent>({ type: "human.deleted", v: 1 })
)

test("whatever has happened folds to a state, with at most one link of a kind", () => {
  fc.assert(
    fc.property(fc.array(events), (history) => {
      const state = history.reduce<HumanState>((folded, event, at) => evolveHuman(folded, event, { at }), null)
      expect(state).not.toBeUndefined()
      if (state === null || state.status === "deleted") return
      const kinds = state.links.map((link) => link.purpose)
      expect(new Set(kinds).size).toBe(kinds.length)
    })
  )
})
