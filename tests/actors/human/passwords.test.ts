/** A new and who has the address of an account that somebody else made. */
import { describe, expect, test } from "vitest"
import { decideChange, decideForgot, decideReset } from "../../../actors/human/decide.ts"
import { evolveHuman } from "../../../actors/human/evolve.ts"
import type { HumanEvent, HumanState } from "../../../actors/human/state.ts"
import {
  applied,
  changed,
  codeOf,
  context,
  linkFacts,
  opened,
  owner,
  registered,
  RIGHT,
  SECOND,
  secret,
  START,
  WRONG
} from "./accounts.ts"

describe("a new password", () => {
  test("ends every session and every link to another one", () => {
    const first = opened(opened(registered(), "t1"), "t2")
    const asked = applied(first, decideForgot(first, context(linkFacts("forgot")), owner))
    const facts = { secret, password: changed, posted: {} }
    expect(codeOf(decideChange(asked, { password: WRONG }, context(facts)))).toBe("login_failed")
    const state = applied(asked, decideChange(asked, { password: RIGHT }, context(facts)))
    expect(state).toMatchObject({ password: changed, sessions: [] })
    const token = "hash of forgot"
    expect(codeOf(decideReset(state, { token }, context({ password: changed, posted: {} })))).toBe("token_invalid")
  })

  test("by a letter confirms the address, once", () => {
    const first = opened(registered(), "t")
    const asked = applied(first, decideForgot(first, context(linkFacts("forgot")), owner))
    const reset = decideReset(asked, { token: "hash of forgot" }, context({ password: changed, posted: {} }))
    const state = applied(asked, reset)
    expect(state).toMatchObject({ password: changed, sessions: [], links: [], email_verified: true })
  })

  const twoStep = (state: HumanState): HumanState =>
    [
      { type: "human.two_step_offered", v: 1, sealed: "secret" } as const,
      { type: "human.two_step_enabled", v: 1, sealed: "factor", left: 10, step: 1 } as const,
      { type: "human.two_step_offered", v: 1, sealed: "another secret" } as const
    ].reduce<HumanState>((folded, event) => evolveHuman(folded, event, { at: START }), state)
  const resetBy = (state: HumanState): HumanState => {
    const asked = applied(state, decideForgot(state, context(linkFacts("forgot")), owner))
    return applied(asked, decideReset(asked, { token: "hash of forgot" }, context({ password: changed, posted: {} })))
  }

  test("by a letter to who has the address ends the second step of a stranger who signed up with it", () => {
    expect(resetBy(twoStep(registered()))).toMatchObject({ email_verified: true, two_step: null, offered: null })
  })

  const inChat = (state: HumanState): HumanState =>
    [
      { type: "human.chat_linked", v: 1, chat: "hash", sealed: "number" } as const,
      { type: "human.chat_offered", v: 1, code: "hash of a code", expires_at: START + SECOND } as const
    ].reduce<HumanState>((folded, event) => evolveHuman(folded, event, { at: START }), state)

  test("by a letter to who has the address takes away the chat of that stranger, and the code for another", () => {
    const linked = inChat(registered())
    const code: HumanEvent = { type: "human.chat_offered", v: 1, code: "hash of a code", expires_at: START + SECOND }
    const offered = evolveHuman(registered(), code, { at: START })
    for (const state of [linked, offered])
      expect(resetBy(state)).toMatchObject({ chat: { linked: null, offered: null } })
    const confirmed = evolveHuman(linked, { type: "human.address_confirmed", v: 1 }, { at: START })
    expect(resetBy(confirmed)).toMatchObject({ chat: { linked: { chat: "hash" } } })
  })

  test("leaves the second step of a confirmed account, and nothing that was only offered", () => {
    const confirmed = evolveHuman(registered(), { type: "human.address_confirmed", v: 1 }, { at: START })
    expect(resetBy(twoStep(confirmed))).toMatchObject({ two_step: { sealed: "factor" }, offered: null })
  })

  const chatting = (state: HumanState): HumanState =>
    [
      { type: "human.chat_linked", v: 1, chat: "hash", sealed: "number" } as const,
      { type: "human.chat_offered", v: 1, code: "code", expires_at: START + SECOND } as const
    ].reduce<HumanState>((folded, event) => evolveHuman(folded, event, { at: START }), state)

  test("by a letter to who has the address ends the chat of a stranger who signed up with it", () => {
    expect(resetBy(chatting(registered()))).toMatchObject({ chat: { linked: null, offered: null } })
  })

  test("leaves the chat of a confirmed account, and no code for another one", () => {
    const confirmed = evolveHuman(registered(), { type: "human.address_confirmed", v: 1 }, { at: START })
    expect(resetBy(chatting(confirmed))).toMatchObject({ chat: { linked: { chat: "hash" }, offered: null } })
    const facts = { secret, password: changed, posted: {} }
    const state = chatting(registered())
    const after = applied(state, decideChange(state, { password: RIGHT }, context(facts)))
    expect(after).toMatchObject({ chat: { linked: { chat: "hash" }, offered: null } })
  })
})
