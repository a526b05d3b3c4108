/** Decisions on passkeys by themselves, and how an account follows from what happened to them. */
import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Decision } from "../../../actors/engine/definition.ts"
import { decideReset } from "../../../actors/human/decide.ts"
import { decideAdd, decideEnter, decideRemove, passkeysOf } from "../../../actors/human/decide-passkeys.ts"
import { evolveHuman } from "../../../actors/human/evolve.ts"
import { addingTo, type Challenge, LOGIN, PasskeyChallenges } from "../../../actors/human/passkey-challenge.ts"
import type { Human, HumanEvent, HumanState } from "../../../actors/human/state.ts"
import { PASSKEY_LIMITS } from "../../../schemas/human/limits.ts"
import { PASSWORD_PARAMETERS } from "../../../schemas/human/password.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const ID = "hum_abcdefghijklmnop"
const START = Date.parse("2026-11-23T12:00:00Z")
const TIME = PASSKEY_LIMITS.challenge_seconds * 1000
const { owner } = LIMITS.limits
const BROWSER = "a browser"
const SESSION = "hash of a token"
const KNOWN = { mark: "a browser", letter: {} }

const base64 = (text: string): string => Buffer.from(text).toString("base64")
const RIGHT = base64("right password")
const WRONG = base64("wrong password")
const secret = { salt: "", verifier: createHash("sha256").update("right password").digest("base64") }
const password = { sealed: "sealed password", parameters: PASSWORD_PARAMETERS }

const context = <Facts>(facts: Facts, at = START) => ({ id: ID, at, seq: 1, facts })

const folded = (state: HumanState, events: ReadonlyArray<HumanEvent>, at = START): HumanState =>
  events.reduce((folded, event) => evolveHuman(folded, event, { at }), state)

const active = (state: HumanState): Human => {
  if (state === null || state.status !== "active") throw new Error("There is no account")
  return state
}

const applied = (state: HumanState, decision: Decision<HumanEvent>, at = START): Human => {
  if ("refused" in decision) throw new Error(decision.refused.message)
  return active(folded(state, decision.events, at))
}

const signedUp = active(
  folded(null, [
    { type: "human.registered", v: 1, personal: "sealed", address: "address", password },
    { type: "human.session_opened", v: 1, session: 1, token: SESSION, expires_at: START + owner.session_seconds * 1000 }
  ])
)

let made = 0
const challengeFor = (bound: string, at = START): Challenge => ({ challenge: `c${++made}`, bound, until: at + TIME })

const adding = (challenge: Challenge | null = challengeFor(SESSION), more: { known?: boolean; sealed?: null } = {}) =>
  ({ challenge, sealed: "sealed passkey", known: false, posted: {}, ...more }) as const

const added = (state: HumanState, facts = adding(), at = START): Human =>
  applied(state, decideAdd(state, { token: SESSION }, context(facts, at)), at)

const entering = (state: HumanState, challenge: Challenge | null, at = START, signed = 1) => {
  const facts = { challenge, signed: { passkey: signed, sealed: `signed at ${at}` }, browser: null, login: KNOWN }
  return decideEnter(state, { token: `token ${at}`, bound: BROWSER }, context(facts, at), owner)
}

const codeOf = (decision: Decision): string | null => ("refused" in decision ? decision.refused.code : null)
const ruleOf = (decision: Decision): unknown => ("refused" in decision ? decision.refused.details?.["rule"] : null)

describe("a passkey", () => {
  test("is added under a number of its own, which none gets after it", () => {
    const two = added(added(signedUp))
    expect(passkeysOf(two).kept).toEqual(
      [1, 2].map((id) => ({ id, sealed: "sealed passkey", added_at: START, used_at: null }))
    )
    const removed = applied(two, decideRemove(two, { password: RIGHT, passkey: 2 }, context({ secret, posted: {} })))
    expect(passkeysOf(added(removed)).kept.map(({ id }) => id)).toEqual([1, 3])
  })

  test("is added in its session alone, in time, once, and where nothing is wrong with it", () => {
    const tried = (facts: ReturnType<typeof adding>, token = SESSION, at = START) =>
      ruleOf(decideAdd(signedUp, { token }, context(facts, at)))
    expect(tried(adding(null))).toBe("passkey")
    expect(tried(adding(challengeFor("another session")))).toBe("passkey")
    expect(tried(adding(challengeFor(SESSION), { sealed: null } as never))).toBe("passkey")
    expect(tried(adding(challengeFor(SESSION)), SESSION, START + TIME)).toBe("passkey")
    expect(tried(adding(challengeFor(SESSION)), SESSION, START + TIME - 1)).toBeNull()
    expect(tried(adding(challengeFor(SESSION), { known: true }))).toBe("known")
    const ended = decideAdd(signedUp, { token: "another" }, context(adding(challengeFor("another"))))
    expect(codeOf(ended)).toBe("session_invalid")
    const challenge = challengeFor(SESSION)
    const state = added(signedUp, adding(challenge))
    expect(ruleOf(decideAdd(state, { token: SESSION }, context(adding(challenge))))).toBe("passkey")
  })

  test("is one of ten at most", () => {
    const full = Array.from({ length: PASSKEY_LIMITS.max }).reduce<Human>((state) => added(state), signedUp)
    expect(ruleOf(decideAdd(full, { token: SESSION }, context(adding())))).toBe("max")
  })

  test("is removed by the password; one that is gone already is no fault", () => {
    const state = added(signedUp)
    const removing = (tried: string, passkey: number) =>
      decideRemove(state, { password: tried, passkey }, context({ secret, posted: { companions: [] } }))
    expect(codeOf(removing(WRONG, 1))).toBe("login_failed")
    expect(removing(RIGHT, 7)).toEqual({ events: [] })
    expect(removing(RIGHT, 1)).toEqual({
      events: [{ type: "human.passkey_removed", v: 1, passkey: 1 }],
      companions: []
    })
  })

  test("goes with a new password of who proves the address first, and stays with every other", () => {
    const link = {
      type: "human.link_made",
      v: 1,
      purpose: "reset_password",
      token: "t",
      expires_at: START + 1
    } as const
    const state = active(folded(added(signedUp), [link]))
    const reset = (of: Human) => applied(of, decideReset(of, { token: "t" }, context({ password, posted: {} })))
    expect(passkeysOf(reset(state)).kept).toEqual([])
    expect(passkeysOf(reset({ ...state, email_verified: true })).kept).toHaveLength(1)
  })

  test("is none of an older account, and of one that was deleted nothing is left", () => {
    const { passkeys: _none, ...older } = added(signedUp)
    expect(passkeysOf(older)).toEqual({ last: 0, kept: [], used: [] })
    const event: HumanEvent = { type: "human.passkey_removed", v: 1, passkey: 1 }
    const gone = folded(added(signedUp), [{ type: "human.deleted", v: 1 }, event])
    expect(gone).toEqual({ status: "deleted" })
    expect(codeOf(decideAdd(gone, { token: SESSION }, context(adding())))).toBe("not_found")
    expect(codeOf(entering(gone, challengeFor(BROWSER)))).toBe("login_failed")
  })
})

describe("a login", () => {
  test("opens a session, and keeps what the passkey is from now on", () => {
    const state = applied(added(signedUp), entering(added(signedUp), challengeFor(BROWSER), START + 5), START + 5)
    expect(state.sessions.map(({ token }) => token)).toEqual([SESSION, `token ${START + 5}`])
    expect(passkeysOf(state).kept).toEqual([
      { id: 1, sealed: `signed at ${START + 5}`, added_at: START, used_at: START + 5 }
    ])
  })

  test("ends the oldest session where there are as many as may be", () => {
    let state = added(signedUp)
    for (let at = START + 1; at <= START + owner.sessions_max; at++)
      state = applied(state, entering(state, challengeFor(BROWSER), at), at)
    expect(state.sessions).toHaveLength(owner.sessions_max)
    expect(state.sessions[0]?.token).toBe(`token ${START + 1}`)
  })

  test("whatever is wrong is refused alike", () => {
    const state = added(signedUp)
    const unsigned = { challenge: challengeFor(BROWSER), signed: null, browser: null, login: KNOWN }
    const refusals = [
      entering(null, challengeFor(BROWSER)),
      entering(state, null),
      entering(state, challengeFor("another browser")),
      entering(state, challengeFor(BROWSER), START + TIME),
      decideEnter(state, { token: "t", bound: BROWSER }, context(unsigned), owner)
    ]
    expect(new Set(refusals.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(refusals[0])]))
    expect(refusals[0]).toMatchObject({ refused: { code: "login_failed" } })
  })

  test("has a challenge of its own, whatever comes in which order", () => {
    const tries = fc.array(fc.record({ which: fc.nat(5), ahead: fc.nat(TIME / 4) }), { maxLength: 40 })
    fc.assert(
      fc.property(tries, (all) => {
        let [state, at] = [added(signedUp), START]
        const challenges = new Map<number, Challenge>()
        const good: Array<Challenge> = []
        for (const { which, ahead } of all) {
          at += ahead
          const challenge = challenges.get(which) ?? challengeFor(BROWSER, at)
          challenges.set(which, challenge)
          const decision = entering(state, challenge, at)
          if ("refused" in decision) continue
          good.push(challenge)
          state = applied(state, decision, at)
        }
        expect(good).toEqual([...new Set(good)])
        expect(good.length).toBe(challenges.size)
      })
    )
  })

  test("is refused where more were used than are remembered, and let in again when their time is over", () => {
    let state = added(signedUp)
    for (let used = 1; used < PASSKEY_LIMITS.remembered_max; used++)
      state = applied(state, entering(state, challengeFor(BROWSER)))
    expect(codeOf(entering(state, challengeFor(BROWSER)))).toBe("login_failed")
    const later = START + 3 * TIME
    expect(codeOf(entering(state, challengeFor(BROWSER, later), later))).toBeNull()
  })
})

describe("a challenge", () => {
  const challenges = new PasskeyChallenges(Buffer.alloc(32, 1))

  test("has 256 bits, is another each time, and opens for its purpose alone, untouched", () => {
    const all = Array.from({ length: 50 }, () => challenges.make(LOGIN, { bound: BROWSER }, START))
    for (const { challenge, sealed } of all) {
      expect(challenge).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(sealed).not.toContain(challenge)
      expect(challenges.open(LOGIN, sealed)).toEqual({ challenge, bound: BROWSER, until: START + TIME })
      expect(challenges.open(addingTo(ID), sealed)).toBeNull()
      expect(new PasskeyChallenges(Buffer.alloc(32, 2)).open(LOGIN, sealed)).toBeNull()
      const [format = "", nonce = "", box = "", tag = ""] = sealed.split(".")
      const changed = `${box.startsWith("A") ? "B" : "A"}${box.slice(1)}`
      expect(challenges.open(LOGIN, [format, nonce, changed, tag].join("."))).toBeNull()
      // Four bytes of the right one, which somebody might guess.
      expect(challenges.open(LOGIN, [format, nonce, box, tag.slice(0, 6)].join("."))).toBeNull()
    }
    expect(new Set(all.map(({ challenge }) => challenge)).size).toBe(50)
  })

  test.each(["", "sealed1", "sealed1...", "x".repeat(5000)])("is none: %.10s", (sealed) => {
    expect(challenges.open(LOGIN, sealed)).toBeNull()
  })
})
