/** What is sent, counted and put off: pure, by example and by chance (spec 3.6, 8). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { DAY_MS, HOUR_MS, NO_DAYS, ratesOf } from "../../../actors/mail/counted.ts"
import { decideCount, decideSend, sendingRefusal, sendingState } from "../../../actors/mail/mailer/sending.ts"
import { evolveMailer, MailerEvent, type MailerState, NO_MAIL } from "../../../actors/mail/mailer/state.ts"
import {
  afterSending,
  evolveMailService,
  MailServiceEvent,
  type MailServiceState,
  NOTHING_SENT,
  resumed,
  usedOfDay
} from "../../../actors/mail/service/state.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const limits = LIMITS.limits.email
const OLD = -limits.first_week_seconds * 1000 - 1

const sealed = (mail: number, recipients: number, own = 0) => ({
  mail,
  message: {
    mailbox: 1,
    envelope: "e",
    key: "k",
    content: { sha256: "a", size: 1 },
    words: [],
    own: null,
    follows: []
  },
  recipients: Array.from({ length: recipients }, (_, n) => ({
    recipient: `r${n}`,
    to: "t",
    sealed: "s",
    ...(n < own ? { own: true } : {})
  }))
})

/** Agents that send beside each other, as the log has it. */
class World {
  service: MailServiceState = NOTHING_SENT
  serviceSeq = 0
  readonly mailers = new Map<string, MailerState>()
  readonly log: Array<{ readonly at: number; readonly agent: string; readonly recipients: number }> = []
  /** Sponsors of agents, by agent. */
  readonly sponsors = new Map<string, ReadonlyArray<string>>()
  private mails = 0

  /** `own`: so many of the recipients are of this service's own domains. */
  send(
    agent: string,
    recipients: number,
    at: number,
    { registeredAt = OLD, own = 0, established = true } = {}
  ): string {
    const state = this.stateOf(agent)
    const facts = {
      registeredAt,
      established,
      service: { seq: this.serviceSeq, state: this.service },
      suppressed: [],
      sponsors: this.sponsors.get(agent) ?? [],
      sending: sealed(++this.mails, recipients, own)
    }
    const decision = decideSend(state, { id: agent, at, facts }, limits)
    if ("refused" in decision) return decision.refused.code
    this.committed(agent, decision, at)
    this.log.push({ at, agent, recipients })
    return "sent"
  }

  count(agent: string, type: "bounced" | "complained", at: number, own = false): void {
    const service = { seq: this.serviceSeq, state: this.service }
    const facts = { service, sponsors: this.sponsors.get(agent) ?? [] }
    this.committed(agent, decideCount(this.stateOf(agent), { type, own }, { id: agent, at, facts }, limits), at)
  }

  /** An operator lets the service send again. */
  resume(at: number): void {
    this.service = evolveMailService(this.service, resumed(this.service, at))
    this.serviceSeq++
  }

  stateOf(agent: string): MailerState {
    return this.mailers.get(agent) ?? NO_MAIL
  }

  private committed(agent: string, decision: Decision<MailerEvent, unknown>, at: number): void {
    if ("refused" in decision) throw new Error(decision.refused.code)
    const { events, companions = [] } = decision
    this.mailers.set(
      agent,
      events.reduce<MailerState>((before, event) => evolveMailer(before, event, { at }), this.stateOf(agent))
    )
    for (const { events: ofService } of companions.filter(({ kind }) => kind === "mail_service")) {
      this.service = (ofService as unknown as ReadonlyArray<MailServiceEvent>).reduce(evolveMailService, this.service)
      this.serviceSeq++
    }
  }
}

const sum = (all: ReadonlyArray<{ readonly recipients: number }>): number =>
  all.reduce((total, { recipients }) => total + recipients, 0)

describe("limits", () => {
  test("of an agent and of the service are never overdrawn, whoever sends when; a recount of the log is what they say", () => {
    const moves = fc.array(
      fc.record({
        agent: fc.constantFrom("a", "b", "c", "d", "e"),
        recipients: fc.integer({ min: 1, max: 10 }),
        wait: fc.integer({ min: 0, max: 2 * HOUR_MS }),
        isNew: fc.boolean()
      }),
      { maxLength: 120 }
    )
    fc.assert(
      fc.property(moves, (all) => {
        const world = new World()
        let at = 1_800_000_000_000
        for (const { agent, recipients, wait, isNew } of all) {
          at += wait
          const registeredAt = isNew ? at - 1000 : OLD
          const before = world.log.filter((one) => one.agent === agent)
          const [hour, day] = [HOUR_MS, DAY_MS].map((span) => sum(before.filter((one) => one.at > at - span)))
          const perDay = isNew ? limits.first_week_per_day : limits.send_per_day
          const ofAll = sum(world.log.filter((one) => one.at > at - DAY_MS))
          const fits = (hour ?? 0) + recipients <= limits.send_per_hour && (day ?? 0) + recipients <= perDay
          const answer = world.send(agent, recipients, at, { registeredAt })
          if (answer === "sent") {
            expect(fits).toBe(true)
            expect(ofAll + recipients).toBeLessThanOrEqual(limits.service_per_day)
          } else expect(answer).toBe(fits ? "email_instance_quota" : "email_quota")
        }
        // The service counts the hours that began within the day as whole.
        expect(usedOfDay(world.service, at)).toBeGreaterThanOrEqual(
          sum(world.log.filter((one) => one.at > at - DAY_MS))
        )
        expect(usedOfDay(world.service, at)).toBeLessThanOrEqual(
          sum(world.log.filter((one) => one.at > at - DAY_MS - 2 * HOUR_MS))
        )
        for (const [agent, state] of world.mailers) {
          const own = world.log.filter((one) => one.agent === agent)
          expect(ratesOf(state.days, at, limits.window_days).recipients).toBe(sum(own))
          const shown = sendingState(
            state,
            { registeredAt: OLD, service: { seq: 0, state: world.service } },
            at,
            limits
          )
          expect(shown.used_day).toBe(sum(own.filter((one) => one.at > at - DAY_MS)))
        }
      }),
      { numRuns: 300 }
    )
  })

  test("of the service are of what leaves it: mail inside uses up nothing, and goes on where they are reached", () => {
    const world = new World()
    const at = 1_800_000_000_000
    for (const agent of ["a", "b", "c", "d", "e"]) expect(world.send(agent, 10, at, { own: 10 })).toBe("sent")
    expect(usedOfDay(world.service, at)).toBe(0)
    for (let sent = 0; sent < limits.service_per_day; sent++) expect(world.send(`s${sent}`, 1, at)).toBe("sent")
    expect(world.send("f", 10, at, { own: 9 })).toBe("email_instance_quota")
    expect(world.send("f", 10, at, { own: 10 })).toBe("sent")
  })

  test("of the service have a part that agents which are not established leave to the others", () => {
    const world = new World()
    const at = 1_800_000_000_000
    const open = (limits.service_per_day * (100 - limits.service_reserved_percent)) / 100
    let sent = 0
    while (world.send(`new${sent}`, 1, at, { established: false }) === "sent") sent++
    expect(sent).toBe(open)
    expect(world.send("new", 1, at, { established: false })).toBe("email_instance_quota")
    expect(world.send("new", 1, at, { established: false, own: 1 })).toBe("sent")
    for (; sent < limits.service_per_day; sent++) expect(world.send(`old${sent}`, 1, at)).toBe("sent")
    expect(world.send("old", 1, at)).toBe("email_instance_quota")
  })

  test("let no few agents end the day of all others, and each has its own day where nobody else sends", () => {
    const world = new World()
    const at = 1_800_000_000_000
    const sendAll = (agent: string, max: number): number => {
      let sent = 0
      // Its hours pass, the day does not.
      while (sent < max && world.send(agent, 1, at + Math.floor(sent / limits.send_per_hour) * HOUR_MS) === "sent")
        sent++
      return sent
    }
    const taken = [sendAll("first", limits.service_per_day)]
    expect(taken).toEqual([limits.send_per_day])
    for (let n = 2; n <= 10; n++) taken.push(sendAll(`a${n}`, limits.service_per_day))
    const used = taken.reduce((sum, one) => sum + one, 0)
    expect(used).toBeLessThan(limits.service_per_day)
    expect(world.send("another", 1, at + 3 * HOUR_MS)).toBe("sent")
    // Mail inside the service takes nothing of its day.
    expect(world.send("a10", 5, at + 4 * HOUR_MS, { own: 5 })).toBe("sent")
    expect(world.send("a10", 1, at + 4 * HOUR_MS)).toBe("email_instance_quota")
    expect(world.send("inside", 10, at + 4 * HOUR_MS, { own: 10 })).toBe("sent")
    expect(world.send("inside", 1, at + 4 * HOUR_MS)).toBe("sent")
  })

  test("of the service say when there is room for an agent's part again", () => {
    const world = new World()
    const at = 1_800_000_000_000
    for (let n = 0; n < 12; n++) world.send(`s${n}`, 10, at)
    for (let n = 0; n < 2; n++) expect(world.send("a", 5, at + HOUR_MS)).toBe("sent")
    const facts = {
      registeredAt: OLD,
      established: true,
      service: { seq: 0, state: world.service },
      suppressed: [],
      sponsors: []
    }
    const refusedAt = (time: number) =>
      sendingRefusal(world.stateOf("a"), { recipients: 10, outside: 10 }, facts, time, limits)
    const now = at + 3 * HOUR_MS
    const wait = refusedAt(now)?.retryAfter ?? 0
    expect(wait).toBeGreaterThan(20 * 3600)
    expect(refusedAt(now + (wait - 1) * 1000)?.code).toBe("email_instance_quota")
    expect(refusedAt(now + wait * 1000)).toBeNull()
  })

  test("of the service say when there is room again", () => {
    const world = new World()
    const at = 1_800_000_000_000
    for (let sent = 0; sent < limits.service_per_day; sent++)
      expect(world.send(`s${sent}`, 1, at + (sent < 90 ? 0 : 5 * HOUR_MS))).toBe("sent")
    const now = at + 6 * HOUR_MS
    const refusedAt = (time: number, recipients: number, established = true) => {
      const service = { seq: 0, state: world.service }
      const facts = { registeredAt: OLD, established, service, suppressed: [], sponsors: [] }
      return sendingRefusal(NO_MAIL, { recipients, outside: recipients }, facts, time, limits)
    }
    for (const [recipients, established] of [
      [1, true],
      [10, true],
      [10, false]
    ] as const) {
      const wait = refusedAt(now, recipients, established)?.retryAfter ?? 0
      expect(wait).toBeGreaterThan(18 * 3600)
      expect(refusedAt(now + (wait - 1) * 1000, recipients, established)?.code).toBe("email_instance_quota")
      expect(refusedAt(now + wait * 1000, recipients, established)).toBeNull()
    }
  })

  test("say when there is room again", () => {
    const world = new World()
    const at = 1_800_000_000_000
    world.send("a", 10, at)
    world.send("a", 10, at + 600_000)
    const facts = {
      registeredAt: OLD,
      established: true,
      service: { seq: 0, state: NOTHING_SENT },
      suppressed: [],
      sponsors: []
    }
    const state = world.mailers.get("a") ?? NO_MAIL
    expect(sendingRefusal(state, { recipients: 5, outside: 5 }, facts, at + 600_000, limits)?.retryAfter).toBe(3000)
    expect(sendingRefusal(state, { recipients: 15, outside: 15 }, facts, at + 600_000, limits)?.retryAfter).toBe(3600)
    expect(sendingRefusal(state, { recipients: 10, outside: 10 }, facts, at + 3_600_000, limits)).toBeNull()
  })

  test("of the first week hold to its last millisecond", () => {
    const world = new World()
    const registeredAt = 1_800_000_000_000
    const over = registeredAt + limits.first_week_seconds * 1000
    expect(world.send("a", 10, over - 1, { registeredAt })).toBe("sent")
    expect(world.send("a", 1, over - 1, { registeredAt })).toBe("email_quota")
    expect(world.send("a", 1, over, { registeredAt })).toBe("sent")
  })
})

const AT = 1_800_000_000_000

test("mail inside the service writes nothing that all agents share, so that no flood of it holds up the others", () => {
  const world = new World()
  const at = OLD + 30 * DAY_MS
  for (const agent of ["a", "b", "c"]) expect(world.send(agent, 10, at, { own: 10 })).toBe("sent")
  expect(world.serviceSeq).toBe(0)
  expect(world.send("d", 10, at, { own: 9 })).toBe("sent")
  expect(world.serviceSeq).toBe(1)
})

describe("an agent", () => {
  const after = (recipients: number, what: ReadonlyArray<"bounced" | "complained">): MailerState => {
    const world = new World()
    const sent = { type: "mailer.sent", v: 1, mail: 1, mailbox: 1, recipients } as const
    world.mailers.set("a", evolveMailer(NO_MAIL, sent, { at: AT }))
    for (const type of what) world.count("a", type, AT)
    return world.stateOf("a")
  }

  test.each([
    ["three bounces of sixty", 60, ["bounced", "bounced", "bounced"], true],
    ["three bounces of sixty-one", 61, ["bounced", "bounced", "bounced"], false],
    ["two bounces of two", 2, ["bounced", "bounced"], false],
    ["one complaint of a thousand", 1000, ["complained"], true]
  ] as const)("with %s: suspended or not", (_name, recipients, what, isSuspended) => {
    expect(after(recipients, what).suspended_at !== null).toBe(isSuspended)
  })

  test("is suspended for no bounce at this service's own domains, which any stranger's Reply-To can name", () => {
    const world = new World()
    world.send("a", 3, AT, { own: 3 })
    for (let n = 0; n < 3; n++) world.count("a", "bounced", AT, true)
    const state = world.stateOf("a")
    expect(state.suspended_at).toBeNull()
    const facts = { registeredAt: OLD, service: { seq: 0, state: world.service } }
    expect(sendingState(state, facts, AT, limits).bounce_rate).toBe(0)
    world.count("a", "complained", AT, true)
    expect(world.stateOf("a").suspended_at).not.toBeNull()
  })

  test("is suspended for what goes outside, however much it writes within the service", () => {
    const world = new World()
    for (let day = 0; day < 10; day++) world.send("a", 20, AT + day * DAY_MS, { own: 19 })
    for (let n = 0; n < limits.bounce_suspension_min; n++) world.count("a", "bounced", AT + 10 * DAY_MS)
    expect(world.stateOf("a").suspended_at).not.toBeNull()
  })
})

describe("the service", () => {
  /** As the log of an earlier release has it, which names no senders. */
  const afterOneMore = (recipients: number, bounced: number, complained: number): MailServiceState => {
    const days = (count: number) => [{ since: Math.floor(AT / DAY_MS) * DAY_MS, count }]
    const before: MailServiceState = {
      ...NOTHING_SENT,
      days: { sent: days(recipients - 1), bounced: days(bounced), complained: days(complained) }
    }
    const sending = { recipients: 1, outside: 1, sender: { agent: "a", days: NO_DAYS } }
    return evolveMailService(before, afterSending(before, sending, AT, limits))
  }

  test.each([
    [49, 49, 49, false],
    [50, 2, 0, false],
    [50, 3, 0, true],
    [100, 4, 0, false],
    [100, 5, 0, true],
    [1000, 0, 1, false],
    [1000, 0, 2, true],
    [50, 0, 1, true]
  ])("of %i recipients with %i bounces and %i complaints: paused %s", (recipients, bounced, complained, isPaused) => {
    expect(afterOneMore(recipients, bounced, complained).paused_at !== null).toBe(isPaused)
  })

  /** Two bounces each: their senders go on. */
  const bouncing = (world: World, agents: ReadonlyArray<string>): void => {
    for (const agent of agents) {
      world.send(agent, 2, AT)
      for (const type of ["bounced", "bounced"] as const) world.count(agent, type, AT)
    }
  }

  test("is paused by the sending that brings its recipients to the minimum, when all outcomes came before", () => {
    const world = new World()
    bouncing(world, ["a", "b", "c"])
    for (const agent of ["d", "e", "f", "g"]) world.send(agent, 15, AT)
    expect(world.service.paused_at).not.toBeNull()
    expect(world.send("h", 1, AT)).toBe("email_paused")
  })

  test("leaves out recipients of its own domains, and what became of them", () => {
    const world = new World()
    bouncing(world, ["a", "b", "c"])
    for (const agent of ["d", "e", "f"]) world.send(agent, 20, AT, { own: 20 })
    world.count("d", "bounced", AT, true)
    expect(ratesOf(world.service.days, AT, limits.window_days)).toEqual({ recipients: 6, bounced: 6, complained: 0 })
    expect(world.service.paused_at).toBeNull()
    expect(usedOfDay(world.service, AT)).toBe(6)
  })

  test("leaves out everything of a sender that is suspended, and counts nothing that comes of it later", () => {
    const world = new World()
    world.send("honest", 10, AT)
    for (let day = 0; day < 5; day++) world.send("throwaway", 10, AT + day * DAY_MS)
    const at = AT + 5 * DAY_MS
    world.count("throwaway", "bounced", at)
    world.count("throwaway", "complained", at)
    world.count("throwaway", "bounced", at)
    expect(world.stateOf("throwaway").suspended_at).not.toBeNull()
    expect(ratesOf(world.service.days, at, limits.window_days)).toEqual({ recipients: 10, bounced: 0, complained: 0 })
    expect(world.service).toMatchObject({ senders: [], paused_at: null })
  })

  test("judges after a resumption what was sent since, also of a sender that sent much before on the same day", () => {
    const world = new World()
    for (const agent of ["a", "b", "c", "d", "e"]) world.send(agent, 10, AT)
    world.resume(AT + 1)
    world.send("a", 1, AT + 2)
    world.count("a", "bounced", AT + 2)
    for (let n = 0; n < 30; n++) world.send(`good ${n}`, 2, AT)
    expect(world.service.paused_at).toBeNull()
    bouncing(world, ["v", "w", "x", "y"])
    expect(world.service.paused_at).not.toBeNull()
  })

  test("leaves out only what was counted since a resumption, of a sender that is suspended after it", () => {
    const world = new World()
    for (let hour = 0; hour < 5; hour++) world.send("throwaway", 10, AT + hour * HOUR_MS)
    const at = AT + 5 * HOUR_MS
    world.count("throwaway", "bounced", at)
    world.resume(at)
    world.send("honest", 10, at)
    world.send("throwaway", 1, at + 1)
    for (let n = 0; n < 5; n++) world.count("throwaway", "bounced", at + 1)
    expect(world.stateOf("throwaway").suspended_at).not.toBeNull()
    expect(ratesOf(world.service.days, at, limits.window_days)).toEqual({ recipients: 10, bounced: 0, complained: 0 })
  })

  test.each([
    ["strangers to each other", [], [], [], true],
    ["one person's", ["p"], ["p"], ["p"], false],
    ["linked by a third", ["p"], ["q"], ["q", "p"], false],
    ["two persons'", ["p"], ["p"], ["q"], true]
  ])("is paused by agents that are %s: %#", (_name, first, second, third, isPaused) => {
    const world = new World()
    for (const [agent, sponsors] of Object.entries({ a: first, b: second, c: third }))
      world.sponsors.set(agent, sponsors)
    for (const agent of ["d", "e", "f", "g", "h"]) world.send(agent, 10, AT)
    bouncing(world, ["a", "b", "c"])
    for (const type of ["bounced", "bounced"] as const) world.count("d", type, AT)
    for (const agent of ["a", "b", "c"]) world.send(agent, 3, AT)
    expect(world.service.paused_at !== null).toBe(isPaused)
  })

  test("is never paused by one person's agents, however many they are", () => {
    const world = new World()
    for (const agent of ["d", "e", "f", "g", "h", "i"]) world.send(agent, 10, AT)
    const agents = Array.from({ length: 80 }, (_, n) => `a${n}`)
    for (const agent of agents) world.sponsors.set(agent, ["p"])
    bouncing(world, agents)
    expect(world.service.paused_at).toBeNull()
    expect(world.service.senders.length).toBeLessThanOrEqual(32)
    const bounced = () =>
      [world.service, ...world.service.senders].map(({ days }) => ratesOf(days, AT, limits.window_days).bounced)
    const [all, ...own] = bounced()
    expect(own.reduce((sum, count) => sum + count, 0)).toBe(all)
    // A third bounce suspends each of them, and takes what it counted out of the entry that it shares.
    for (const agent of agents) world.count(agent, "bounced", AT)
    expect(Math.max(...bounced())).toBe(0)
    // Strangers are judged by their own.
    for (const agent of ["d", "e", "f", "g"]) world.count(agent, "bounced", AT)
    expect(world.service.paused_at).not.toBeNull()
  })

  test("takes out of an entry that several share only who was counted there", () => {
    const world = new World()
    const honest = ["d", "e", "f", "g", "h"]
    for (const agent of honest) world.send(agent, 9, AT)
    const agents = Array.from({ length: 34 }, (_, n) => `a${n}`)
    for (const agent of agents) world.sponsors.set(agent, ["p"])
    bouncing(world, agents)
    const rest = () =>
      world.service.senders.reduce((sum, { days }) => sum + ratesOf(days, AT, limits.window_days).bounced, 0)
    for (const [index, agent] of agents.toReversed().entries()) {
      world.count(agent, "bounced", AT)
      expect(world.stateOf(agent).suspended_at).not.toBeNull()
      expect([index, world.service.paused_at, rest()]).toEqual([index, null, 2 * (agents.length - index - 1)])
    }
  })

  test("is never paused by one agent alone, whatever becomes of its mail, and in whatever order", () => {
    const move = fc.record({
      who: fc.constantFrom("bad", "bad", "fine1", "fine2", "fine3"),
      what: fc.constantFrom("send", "send", "bounced", "complained"),
      recipients: fc.integer({ min: 1, max: 10 }),
      own: fc.integer({ min: 0, max: 10 }),
      waitHours: fc.integer({ min: 0, max: 48 })
    })
    // Two bounces of sixty recipients are the others' own: less than pauses.
    const early = fc.record({ bounces: fc.integer({ min: 0, max: 2 }) })
    fc.assert(
      fc.property(early, fc.array(move, { maxLength: 150 }), ({ bounces }, moves) => {
        const world = new World()
        let at = AT
        for (let n = 0; n < 6; n++) world.send(`other${n}`, 10, at)
        for (let n = 0; n < bounces; n++) world.count(`other${n}`, "bounced", at)
        expect(world.service.paused_at).toBeNull()
        for (const { who, what, recipients, own, waitHours } of moves) {
          at += waitHours * HOUR_MS
          // The window would forget the others' recipients, and with them what their rate is.
          if (at > AT + (limits.window_days - 2) * DAY_MS) break
          if (what === "send") world.send(who, recipients, at, { own: Math.min(own, recipients) })
          else if (who === "bad") world.count(who, what, at)
          expect(world.service.paused_at).toBeNull()
        }
      }),
      { numRuns: 300 }
    )
  })

  test("holds no more senders than its event has room for", () => {
    const world = new World()
    for (let n = 0; n < 100; n++) {
      world.send(`a${n}`, 1, AT)
      world.count(`a${n}`, "bounced", AT)
    }
    expect(world.service.senders.length).toBeLessThanOrEqual(32)
  })
})
