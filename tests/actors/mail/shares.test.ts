/** Bytes of a mailbox: a sender's domain has half of them, and a fifth is kept for whom its agent knows (contract 22). */
import { describe, expect, test } from "vitest"
import { decideReceive } from "../../../actors/mail/box/decide.ts"
import { evolveMailbox, type MailboxState } from "../../../actors/mail/box/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const MB = 1_048_576
const DAY_MS = 86_400_000
const BEGAN = Date.parse("2026-11-27T00:00:00Z")
const limits = { ...LIMITS.limits.email, ...LIMITS.service.mail }

const opened = {
  type: "mailbox.opened",
  v: 1,
  agent: "hx",
  local_part: "ada",
  domain: "mail.example",
  chosen: ""
} as const
const aMailbox = () => {
  let state: MailboxState = evolveMailbox(null, opened, { at: BEGAN - 2 * DAY_MS })
  // It took mail of these before.
  for (const domain of ["one.example", "other.example"])
    state = evolveMailbox(
      state,
      { type: "mailbox.received", v: 1, agent: "hx", mail: 0, bytes: 0, domain },
      { at: BEGAN - 2 * DAY_MS }
    )
  let number = 0
  /** How many of so many messages of such a size are taken. */
  const flood = (domain: string, count: number, bytes: number, { isKnown = false, day = 0 } = {}): number => {
    let taken = 0
    for (let n = 0; n < count; n++) {
      const at = BEGAN + day * DAY_MS
      const input = { number: ++number, bytes, mail: {} as never, sender: { domain, allowed: isKnown, proven: ["r"] } }
      const decision = decideReceive(state, input, { id: "1", at, facts: { isKnown, elsewhere: 0 } }, limits)
      if ("refused" in decision) continue
      for (const event of decision.events) state = evolveMailbox(state, event, { at })
      taken++
    }
    return taken
  }
  return { flood, state: () => state }
}

describe("of a mailbox's 100 MB", () => {
  test("a domain takes half, strangers four fifths, and whom the agent knows the rest", () => {
    const { flood } = aMailbox()
    expect(flood("one.example", 9, 10 * MB)).toBe(5)
    expect(flood("one.example", 1, MB)).toBe(0)
    expect(flood("other.example", 9, 10 * MB)).toBe(3)
    expect(flood("third.example", 1, 1)).toBe(0)
    expect(flood("one.example", 9, 10 * MB, { isKnown: true })).toBe(2)
  })

  test("a domain has its share again once its mail is gone, not a day later", () => {
    const { flood } = aMailbox()
    expect(flood("one.example", 9, 10 * MB)).toBe(5)
    expect(flood("one.example", 1, 10 * MB, { day: 2 })).toBe(0)
    expect(flood("one.example", 9, 10 * MB, { day: 100 })).toBe(5)
  })

  test("no number of other domains makes it forget one that has sent much, nor grow without end", () => {
    const { flood, state } = aMailbox()
    expect(flood("one.example", 9, 10 * MB)).toBe(5)
    for (let n = 0; n < 400; n++) flood(`d${n}.example`, 1, 1000)
    expect(flood("one.example", 1, 10 * MB, { day: 2 })).toBe(0)
    expect(state()?.storedBy.length).toBeLessThan(100)
  })
})
