/** Mailboxes as decisions and what they fold into (spec 2.9, 4.9; contract 20). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { MailAddress } from "../../../actors/mail/address/actor.ts"
import { evolveMailAddress, MailAddressEvent } from "../../../actors/mail/address/actor.ts"
import {
  type BoxLimits,
  decideDrop,
  decideErase,
  decideReceive,
  ERASE_TIMER,
  fullness
} from "../../../actors/mail/box/decide.ts"
import { evolveMailbox, MailboxEvent, type MailboxState } from "../../../actors/mail/box/state.ts"
import { DAY_MS, HOUR_MS } from "../../../actors/mail/counted.ts"
import {
  CLOSE_TIMER,
  decideBanned,
  decideClose,
  decideCloseTimer,
  decideOpen
} from "../../../actors/mail/mailer/decide.ts"
import { evolveMailer, type MailerState, NO_MAIL } from "../../../actors/mail/mailer/state.ts"
import { decideExpire, decideRead, EXPIRE_TIMER } from "../../../actors/mail/message/decide.ts"
import { evolveMail, type MailMessageState } from "../../../actors/mail/message/state.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import { eventsOf } from "../../../actors/engine/events.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { namedBy } from "../../../actors/mail/inbound/recipients.ts"
import { wordsOf } from "../../../schemas/mail/words.ts"

const EMAIL = {
  ...LIMITS.service.mail,
  ...LIMITS.limits.email,
  mailboxes_per_agent: 2,
  inbound_per_day: 5,
  dropped_per_day: 8,
  mailbox_max_bytes: 1000
}
const RETENTION_MS = EMAIL.retention_seconds * 1000

const MAIL = { envelope: "e", key: "k", parts: [], words: [], own: null, follows: [], lets_in: false }

/** All actors of a world of two agents who take addresses from each other. */
class World {
  readonly mailers = new Map<string, MailerState>()
  readonly addresses = new Map<string, { seq: number; state: MailAddress }>()
  readonly boxes = new Map<string, { seq: number; state: MailboxState }>()
  private seq = 0
  private boxCount = 0

  open(agent: string, local: string, at: number): string {
    const mailbox = ++this.boxCount
    const address = this.addresses.get(local) ?? { seq: 0, state: null }
    return this.done(
      agent,
      decideOpen(EMAIL.mailboxes_per_agent)(
        this.mailer(agent),
        { local_part: local, domain: "d.example", label: null },
        {
          id: agent,
          facts: { mailbox, address, chosen: "sealed" }
        }
      ),
      at,
      local
    )
  }

  close(agent: string, mailbox: number, at: number): string {
    const closing = [...this.boxes].map(([id, { seq }]) => ({ mailbox: Number(id), boxSeq: seq, addressSeq: 0 }))
    return this.done(agent, decideClose(this.mailer(agent), [mailbox], { id: agent, at, facts: { closing } }), at, "")
  }

  mailer(agent: string): MailerState {
    return this.mailers.get(agent) ?? NO_MAIL
  }

  private done(agent: string, decision: Decision, at: number, local: string): string {
    if ("refused" in decision) return decision.refused.code
    const before = this.mailer(agent)
    this.mailers.set(
      agent,
      decision.events.reduce<MailerState>((state, event) => evolveMailer(state, event as never, { at }), before)
    )
    for (const { kind, id, events } of decision.companions ?? []) this.apply(kind, id, events, at, local)
    return "done"
  }

  /** Addresses are known here by their local part. */
  private apply(kind: string, id: string, events: ReadonlyArray<EventShape>, at: number, local: string) {
    const commit = { events } as never
    const seq = ++this.seq
    if (kind === "mailbox") {
      const before = this.boxes.get(id)?.state ?? null
      const state = eventsOf(MailboxEvent, commit).reduce((box, event) => evolveMailbox(box, event, { at }), before)
      this.boxes.set(id, { seq, state })
      if (local === "" && before !== null) this.left(before.local_part, seq, before.agent)
    } else if (local !== "") {
      const state = eventsOf(MailAddressEvent, commit).reduce<MailAddress>(evolveMailAddress, null)
      this.addresses.set(local, { seq, state })
    }
  }

  private left(local: string, seq: number, agent: string): void {
    this.addresses.set(local, { seq, state: evolveMailAddress(null, { type: "mail_address.left", v: 1, agent }) })
  }
}

describe("addresses", () => {
  test("whoever opens and closes what, an address is one agent's for good, with one mailbox at most", () => {
    const step = fc.record({
      agent: fc.constantFrom("a", "b"),
      what: fc.constantFrom("open", "close"),
      which: fc.integer({ min: 0, max: 5 })
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const world = new World()
        const owners = new Map<string, string>()
        steps.forEach(({ agent, what, which }, at) => {
          const local = `x${which % 3}`
          if (what === "open") {
            const came = world.open(agent, local, at)
            const owner = owners.get(local)
            if (came === "done") owners.set(local, agent)
            if (owner !== undefined && owner !== agent) expect(came).toBe("email_address_taken")
          } else {
            const [box] = world.mailer(agent).mailboxes.slice(which % 2)
            expect(world.close(agent, box?.mailbox ?? 999, at)).toBe(box === undefined ? "not_found" : "done")
          }
          for (const one of ["a", "b"]) {
            const { mailboxes } = world.mailer(one)
            expect(mailboxes.length).toBeLessThanOrEqual(EMAIL.mailboxes_per_agent)
            expect(new Set(mailboxes.map(({ address }) => address)).size).toBe(mailboxes.length)
            for (const { mailbox } of mailboxes)
              expect(world.boxes.get(String(mailbox))?.state).toMatchObject({ agent: one, status: "active" })
          }
        })
      })
    )
  })
})

const opened: MailboxState = evolveMailbox(
  null,
  { type: "mailbox.opened", v: 1, agent: "a", local_part: "x", domain: "d.example", chosen: "c" },
  { at: 0 }
)

describe("a mailbox", () => {
  test("takes so many in any 24 hours and so many bytes, whatever comes when", () => {
    const arrival = fc.record({
      pause: fc.integer({ min: 0, max: 6 * HOUR_MS }),
      bytes: fc.integer({ min: 1, max: 300 }),
      isKnown: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 80 }), (arrivals) => {
        let state = opened
        let at = DAY_MS
        const taken: Array<{ readonly at: number; readonly bytes: number }> = []
        arrivals.forEach(({ pause, bytes, isKnown }, number) => {
          at += pause
          const context = { id: "7", at, facts: { isKnown, elsewhere: 0 } }
          const decision = decideReceive(state, { number, bytes, mail: MAIL }, context, EMAIL)
          if ("refused" in decision) {
            expect(decision.refused).toMatchObject({ code: "rate_limited" })
            return
          }
          taken.push({ at, bytes })
          for (const event of decision.events) state = evolveMailbox(state, event, { at })
        })
        for (const one of taken) {
          const inWindow = taken.filter((other) => other.at > one.at - DAY_MS && other.at <= one.at)
          expect(inWindow.length).toBeLessThanOrEqual(EMAIL.inbound_per_day)
          const kept = taken.filter((other) => other.at > one.at - RETENTION_MS && other.at < one.at)
          expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(EMAIL.mailbox_max_bytes)
        }
      })
    )
  })

  test("takes again once its day is over, and once what it kept is gone", () => {
    let state = opened
    for (let n = 0; n < EMAIL.inbound_per_day; n++)
      state = evolveMailbox(state, { type: "mailbox.received", v: 1, agent: "a", mail: n, bytes: 1 }, { at: 0 })
    if (state === null) throw new Error("none")
    expect(fullness(state, 0, 1, EMAIL)).toBe("day")
    expect(fullness(state, 0, DAY_MS + 2 * HOUR_MS, EMAIL)).toBeNull()
    const full = evolveMailbox(opened, { type: "mailbox.received", v: 1, agent: "a", mail: 1, bytes: 1000 }, { at: 0 })
    if (full === null) throw new Error("none")
    expect(fullness(full, 0, DAY_MS, EMAIL)).toBe("bytes")
    expect(fullness(full, 0, RETENTION_MS + 3 * DAY_MS, EMAIL)).toBeNull()
  })

  /** Messages of one sender, one after the other: how many of them are taken. */
  const taken = (
    state: MailboxState,
    count: number,
    {
      domain,
      isKnown = false,
      isProven = true,
      bytes = 1,
      at = 0
    }: {
      readonly domain: string
      readonly isKnown?: boolean
      readonly isProven?: boolean
      readonly bytes?: number
      readonly at?: number
    },
    limits: BoxLimits
  ): { readonly state: MailboxState; readonly taken: number; readonly filled: number } => {
    let [now, sum, filled] = [state, 0, 0]
    const sender = { domain, allowed: false, proven: isProven ? ["r"] : [] }
    for (let number = 0; number < count; number++) {
      const context = { id: "7", at, facts: { isKnown, elsewhere: 0 } }
      const decision = decideReceive(now, { number, bytes, mail: MAIL, sender }, context, limits)
      if ("refused" in decision) continue
      sum++
      for (const event of decision.events) {
        if (event.type === "mailbox.received" && event.filled === true) filled++
        now = evolveMailbox(now, event, { at })
      }
    }
    return { state: now, taken: sum, filled }
  }
  const LIMITS_OF_BOX = { ...LIMITS.service.mail, ...LIMITS.limits.email }

  /** Took mail of these domains the day before. */
  const acquainted = (...domains: ReadonlyArray<string>): MailboxState =>
    domains.reduce<MailboxState>(
      (state, domain, mail) =>
        evolveMailbox(
          state,
          { type: "mailbox.received", v: 1, agent: "a", mail, bytes: 0, domain },
          { at: -2 * DAY_MS }
        ),
      opened
    )

  test("is not closed by what its own rules drop, of which it journals so many a day", () => {
    let state = opened
    let dropped = 0
    for (let n = 0; n < 2500; n++) {
      const decision = decideDrop(state, { sealed: "s" }, { at: 0 }, LIMITS_OF_BOX)
      if ("refused" in decision) continue
      dropped++
      for (const event of decision.events) state = evolveMailbox(state, event, { at: 0 })
    }
    expect(dropped).toBe(2000)
    if (state === null) throw new Error("none")
    expect(fullness(state, 0, 0, LIMITS_OF_BOX)).toBeNull()
    expect(taken(state, 1, { domain: "x" }, LIMITS_OF_BOX).taken).toBe(1)
  })

  test("gives one domain half of its day, strangers four fifths, and the rest to whom its agent knows", () => {
    const one = taken(acquainted("x", "y", "z"), 300, { domain: "x" }, LIMITS_OF_BOX)
    expect(one.taken).toBe(250)
    const other = taken(one.state, 300, { domain: "y" }, LIMITS_OF_BOX)
    expect(other.taken).toBe(150)
    // Also at a domain whose share strangers have taken.
    const known = taken(other.state, 60, { domain: "x", isKnown: true }, LIMITS_OF_BOX)
    expect(known.taken).toBe(60)
    expect(taken(known.state, 60, { domain: "z", isKnown: true }, LIMITS_OF_BOX).taken).toBe(40)
  })

  test("keeps room for whom its agent knows when strangers send much at once", () => {
    const first = taken(acquainted("x", "z"), 60, { domain: "x", bytes: 10_485_760 }, LIMITS_OF_BOX)
    const flood = taken(first.state, 60, { domain: "z", bytes: 10_485_760 }, LIMITS_OF_BOX)
    expect([first.taken, flood.taken]).toEqual([5, 3])
    expect(taken(flood.state, 3, { domain: "y", bytes: 10_000, isKnown: true }, LIMITS_OF_BOX).taken).toBe(3)
  })

  /** Each of another domain. */
  const invented = (
    state: MailboxState,
    count: number,
    more: { readonly bytes?: number; readonly at?: number } = {}
  ) => {
    let [now, sum, filled] = [state, 0, 0]
    for (let n = 0; n < count; n++) {
      const one = taken(now, 1, { domain: `d${n}`, isProven: false, ...more }, LIMITS_OF_BOX)
      now = one.state
      sum += one.taken
      filled += one.filled
    }
    return { state: now, taken: sum, filled }
  }

  test("gives all whom nothing proves three fifths of its day, from however many domains", () => {
    const flood = invented(opened, 500)
    expect(flood.taken).toBe(300)
    // A proven domain has room that it shares with no unproven sender, and an acquainted one has more.
    expect(taken(flood.state, 200, { domain: "x" }, LIMITS_OF_BOX).taken).toBe(50)
    const met = invented(acquainted("x"), 500)
    expect(taken(met.state, 200, { domain: "x" }, LIMITS_OF_BOX).taken).toBe(100)
    expect(invented(flood.state, 400, { at: 2 * DAY_MS }).taken).toBe(300)
  })

  test("gives all whom nothing proves three fifths of its bytes", () => {
    const flood = invented(opened, 20, { bytes: 10_485_760 })
    expect(flood.taken).toBe(6)
    expect(taken(flood.state, 9, { domain: "x", bytes: 10_485_760 }, LIMITS_OF_BOX).taken).toBe(1)
    const met = invented(acquainted("x"), 20, { bytes: 10_485_760 })
    expect(taken(met.state, 9, { domain: "x", bytes: 10_485_760 }, LIMITS_OF_BOX).taken).toBe(2)
  })

  /** Proven domains that it has never heard of, each with so many messages. */
  const newcomers = (state: MailboxState, domains: number, each: number, bytes = 1) => {
    let now = state
    const counts: Array<number> = []
    for (let n = 0; n < domains; n++) {
      const one = taken(now, each, { domain: `new${n}`, bytes }, LIMITS_OF_BOX)
      now = one.state
      counts.push(one.taken)
    }
    return { state: now, counts }
  }

  test("gives a new domain a fifth of its day, and all of them three fifths, however well DMARC proves them", () => {
    const flood = newcomers(acquainted("x"), 5, 300)
    expect(flood.counts).toEqual([100, 100, 100, 0, 0])
    expect(taken(flood.state, 300, { domain: "x" }, LIMITS_OF_BOX).taken).toBe(100)
    // Unproven senders and new domains leave a tenth to domains that it knows.
    expect(invented(flood.state, 200).taken).toBe(50)
    const all = invented(flood.state, 200)
    expect(taken(all.state, 300, { domain: "x" }, LIMITS_OF_BOX).taken).toBe(50)
    // The same domains are known from the second day on.
    expect(taken(flood.state, 300, { domain: "new0", at: 2 * DAY_MS }, LIMITS_OF_BOX).taken).toBe(250)
  })

  test("gives new domains the same shares of its bytes", () => {
    const flood = newcomers(acquainted("x"), 5, 9, 10_485_760)
    expect(flood.counts).toEqual([2, 2, 2, 0, 0])
    expect(taken(flood.state, 9, { domain: "x", bytes: 10_485_760 }, LIMITS_OF_BOX).taken).toBe(2)
  })

  test("counts a domain that its agent allows as no new one", () => {
    expect(taken(opened, 300, { domain: "x", isKnown: true }, LIMITS_OF_BOX).taken).toBe(300)
  })

  test("knows as many domains as it remembers, those that wrote last", () => {
    const domains = Array.from({ length: 200 }, (_, n) => `d${n}`)
    const state = acquainted("x", ...domains, "x")
    expect(state?.known.map(({ domain }) => domain)).toEqual([...domains.slice(-127), "x"])
    const forged = evolveMailbox(
      opened,
      { type: "mailbox.received", v: 1, agent: "a", mail: 1, bytes: 1, domain: "c", unproven: true },
      { at: 0 }
    )
    expect(forged?.known).toEqual([])
  })

  test("keeps the agent's own fifth of all its mailboxes' bytes for whom it knows", () => {
    const { agent_max_bytes } = LIMITS.limits.email
    const elsewhere = (agent_max_bytes * 4) / 5
    const receive = (isKnown: boolean, less = 0) => {
      const sender = { domain: "x", allowed: false, proven: ["r"] }
      const context = { id: "7", at: 0, facts: { isKnown, elsewhere: elsewhere - less } }
      return "refused" in decideReceive(opened, { number: 1, bytes: 1000, mail: MAIL, sender }, context, LIMITS_OF_BOX)
    }
    expect([receive(false), receive(true), receive(false, 1000)]).toEqual([true, false, false])
  })

  test("counts nothing as unproven of what an earlier release received, and whom its agent knows at no share", () => {
    let state = opened
    for (let mail = 0; mail < 300; mail++)
      state = evolveMailbox(state, { type: "mailbox.received", v: 1, agent: "a", mail, bytes: 1 }, { at: 0 })
    expect(invented(state, 1).taken).toBe(1)
    const known = taken(invented(opened, 400).state, 9, { domain: "x", isKnown: true, isProven: false }, LIMITS_OF_BOX)
    expect(known.taken).toBe(9)
  })

  test("says once a day that whom nothing proves is refused from then on", () => {
    const first = invented(opened, 300)
    expect(first.filled).toBe(1)
    // Full at noon, and again in the next night.
    const noon = invented(invented(opened, 150).state, 150, { at: DAY_MS / 2 })
    const night = invented(noon.state, 400, { at: DAY_MS + 2 * HOUR_MS })
    expect([noon.filled, night.taken, night.filled]).toEqual([1, 150, 0])
    const later = invented(first.state, 400, { at: DAY_MS + 2 * HOUR_MS })
    expect([later.taken, later.filled]).toEqual([300, 1])
    expect(invented(opened, 299).filled).toBe(0)
    // A flood that is proven leaves them no room either.
    const proven = taken(acquainted("x", "y"), 250, { domain: "x" }, LIMITS_OF_BOX)
    expect([proven.filled, taken(proven.state, 150, { domain: "y" }, LIMITS_OF_BOX).filled]).toEqual([0, 1])
  })

  test("closed takes nothing, and is erased once", () => {
    const closed = evolveMailbox(opened, { type: "mailbox.closed", v: 1, agent: "a" }, { at: 1 })
    const receive = decideReceive(
      closed,
      { number: 1, bytes: 1, mail: MAIL },
      { id: "7", at: 2, facts: { isKnown: true, elsewhere: 0 } },
      EMAIL
    )
    expect(receive).toMatchObject({ refused: { code: "not_found" } })
    expect(decideDrop(closed, { sealed: "s" }, { at: 2 }, EMAIL)).toMatchObject({ refused: { code: "not_found" } })
    const fired = { name: ERASE_TIMER, at: 1 }
    expect(decideErase(opened, fired, { at: 2 })).toMatchObject({ refused: { code: "unavailable" } })
    // The commit that it was set with has failed: it does not come again for ever.
    expect(decideErase(opened, fired, { at: DAY_MS })).toEqual({ events: [] })
    expect(decideErase(closed, fired, { at: DAY_MS })).toEqual({ events: [{ type: "mailbox.erased", v: 1 }] })
    const erased = evolveMailbox(closed, { type: "mailbox.erased", v: 1 }, { at: 3 })
    expect(decideErase(erased, fired, { at: 4 })).toEqual({ events: [] })
    expect(erased).toMatchObject({ status: "erased", chosen: "" })
  })

  test("keeps its counts small, however long it lives", () => {
    let state = opened
    for (let day = 0; day < 1000; day++)
      state = evolveMailbox(
        state,
        { type: "mailbox.received", v: 1, agent: "a", mail: day, bytes: 1 },
        { at: day * DAY_MS }
      )
    expect(state?.inbound.length).toBeLessThanOrEqual(25)
    expect(state?.stored.length).toBeLessThanOrEqual(401)
  })
})

describe("a message", () => {
  const received: MailMessageState = evolveMail(
    null,
    { type: "mail.received", v: 1, agent: "a", mailbox: 7, ...MAIL },
    { at: 5 }
  )
  const expire = decideExpire(RETENTION_MS)

  test("is read once, by its agent", () => {
    expect(decideRead(received, { agent: "b" })).toMatchObject({ refused: { code: "not_found" } })
    expect(decideRead(null, { agent: "a" })).toMatchObject({ refused: { code: "not_found" } })
    const read = evolveMail(received, { type: "mail.read", v: 1, agent: "a" }, { at: 9 })
    expect(read).toMatchObject({ read_at: 9 })
    expect(decideRead(read, { agent: "a" })).toEqual({ events: [] })
    expect(evolveMail(read, { type: "mail.read", v: 1, agent: "a" }, { at: 11 })).toMatchObject({ read_at: 9 })
  })

  test("goes when its time is over, and not before", () => {
    const due = 5 + RETENTION_MS
    const fired = { name: EXPIRE_TIMER, at: due }
    expect(expire(received, fired, { at: due - 1 })).toMatchObject({ refused: { code: "unavailable" } })
    expect(expire(received, fired, { at: due })).toEqual({ events: [{ type: "mail.expired", v: 1, agent: "a" }] })
    expect(expire(null, fired, { at: due })).toEqual({ events: [] })
    expect(evolveMail(received, { type: "mail.expired", v: 1, agent: "a" }, { at: due })).toBeNull()
    expect(evolveMail(null, { type: "mail.read", v: 1, agent: "a" }, { at: due })).toBeNull()
  })
})

test.each([
  ["Ada@Mail.Hub.Example", { address: "ada@mail.hub.example", domain: "mail.hub.example", tag: null }],
  ["ada+Shop@mail.hub.example", { address: "ada@mail.hub.example", domain: "mail.hub.example", tag: "shop" }],
  ["ada+a+b@mail.hub.example.", { address: "ada@mail.hub.example", domain: "mail.hub.example", tag: "a+b" }],
  ["ada+@mail.hub.example", null],
  ["+a@mail.hub.example", null],
  ["@mail.hub.example", null],
  ["ada", null],
  ["ada@localhost", null],
  [`${"x".repeat(400)}@mail.hub.example`, null]
])("the recipient %s", (text, named) => {
  expect(namedBy(text)).toEqual(named)
})

test("words are whole, of any script, each once", () => {
  expect(wordsOf("Grüße, GRÜSSE! Привет 你好 482913 a.b@c", 20)).toEqual([
    "grüße",
    "grüsse",
    "привет",
    "你好",
    "482913",
    "a",
    "b",
    "c"
  ])
  expect(wordsOf("a b c", 2)).toEqual(["a", "b"])
})

describe("a banned agent's mail", () => {
  const KEPT_SECONDS = 30 * 86_400
  const closes_at = 1000 + KEPT_SECONDS * 1000
  const mailboxes = [{ mailbox: 7, address: "ada@x.example" }]
  const ending = evolveMailer({ ...NO_MAIL, mailboxes }, { type: "mailer.ending", v: 1, closes_at }, { at: 5000 })
  const fired = { name: CLOSE_TIMER, at: closes_at }
  const closing = [{ mailbox: 7, boxSeq: 1, addressSeq: 2 }]

  test("is kept for thirty days and then closed once", () => {
    const decision = decideBanned(NO_MAIL, { at: 1000 }, { at: 5000 }, KEPT_SECONDS)
    expect(decision).toMatchObject({ events: [{ closes_at }], timers: [{ name: CLOSE_TIMER, at: closes_at }] })
    expect(decideBanned(ending, { at: 1000 }, { at: 6000 }, KEPT_SECONDS)).toEqual({ events: [] })
    expect(decideCloseTimer(ending, fired, { id: "a", at: closes_at - 1, facts: { closing } })).toMatchObject({
      refused: { code: "unavailable" }
    })
    expect(decideCloseTimer(ending, fired, { id: "a", at: closes_at, facts: { closing } })).toMatchObject({
      events: [{ type: "mailer.mailbox_closed", mailbox: 7 }]
    })
  })

  test("stays where the timer is of a ban that was never committed", () => {
    const open = { ...NO_MAIL, mailboxes }
    expect(decideCloseTimer(open, fired, { id: "a", at: closes_at, facts: { closing } })).toEqual({ events: [] })
  })

  test("of a ban long ago is closed at once", () => {
    const at = KEPT_SECONDS * 2000
    expect(decideBanned(NO_MAIL, { at: 1000 }, { at }, KEPT_SECONDS)).toMatchObject({ events: [{ closes_at: at }] })
  })
})
