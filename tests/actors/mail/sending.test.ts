/** What is sent, counted and put off: pure, by example and by chance (spec 3.6, 8). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { DAY_MS, HOUR_MS, ratesOf } from "../../../actors/mail/counted.ts"
import { decideCount, decideSend, sendingRefusal, sendingState } from "../../../actors/mail/mailer/sending.ts"
import { evolveMailer, MailerEvent, type MailerState, NO_MAIL } from "../../../actors/mail/mailer/state.ts"
import {
  afterOutcome,
  evolveMailService,
  MailServiceEvent,
  type MailServiceState,
  NOTHING_SENT,
  usedOfDay
} from "../../../actors/mail/service/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const limits = LIMITS.limits.email
const OLD = -limits.first_week_seconds * 1000 - 1

const sealed = (mail: number, recipients: number) => ({
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
  recipients: Array.from({ length: recipients }, (_, n) => ({ recipient: `r${n}`, to: "t", sealed: "s" }))
})

/** Agents that send beside each other, as the log has it. */
class World {
  service: MailServiceState = NOTHING_SENT
  serviceSeq = 0
  readonly mailers = new Map<string, MailerState>()
  readonly log: Array<{ readonly at: number; readonly agent: string; readonly recipients: number }> = []
  private mails = 0

  send(agent: string, recipients: number, at: number, registeredAt = OLD): string {
    const state = this.mailers.get(agent) ?? NO_MAIL
    const facts = {
      registeredAt,
      service: { seq: this.serviceSeq, state: this.service },
      suppressed: [],
      sending: sealed(++this.mails, recipients)
    }
    const decision = decideSend(state, { id: agent, at, facts }, limits)
    if ("refused" in decision) return decision.refused.code
    const evolved = decision.events.reduce<MailerState>((before, event) => evolveMailer(before, event, { at }), state)
    this.mailers.set(agent, evolved)
    const ofService = decision.also?.filter(({ kind }) => kind === "mail_service") ?? []
    for (const { events } of ofService)
      this.service = (events as unknown as ReadonlyArray<MailServiceEvent>).reduce(evolveMailService, this.service)
    this.serviceSeq++
    this.log.push({ at, agent, recipients })
    return "sent"
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
          const answer = world.send(agent, recipients, at, registeredAt)
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

  test("say when there is room again", () => {
    const world = new World()
    const at = 1_800_000_000_000
    world.send("a", 10, at)
    world.send("a", 10, at + 600_000)
    const facts = { registeredAt: OLD, service: { seq: 0, state: NOTHING_SENT }, suppressed: [] }
    const state = world.mailers.get("a") ?? NO_MAIL
    expect(sendingRefusal(state, 5, facts, at + 600_000, limits)?.retryAfter).toBe(3000)
    expect(sendingRefusal(state, 15, facts, at + 600_000, limits)?.retryAfter).toBe(3600)
    expect(sendingRefusal(state, 10, facts, at + 3_600_000, limits)).toBeNull()
  })

  test("of the first week hold to its last millisecond", () => {
    const world = new World()
    const registeredAt = 1_800_000_000_000
    const over = registeredAt + limits.first_week_seconds * 1000
    expect(world.send("a", 10, over - 1, registeredAt)).toBe("sent")
    expect(world.send("a", 1, over - 1, registeredAt)).toBe("email_quota")
    expect(world.send("a", 1, over, registeredAt)).toBe("sent")
  })
})

describe("an agent", () => {
  const after = (recipients: number, what: ReadonlyArray<"bounced" | "complained">): MailerState => {
    const at = 1_800_000_000_000
    let state: MailerState = evolveMailer(
      NO_MAIL,
      { type: "mailer.sent", v: 1, mail: 1, mailbox: 1, recipients },
      { at }
    )
    for (const type of what) {
      const decision = decideCount(state, { type }, { at }, limits)
      state = (decision.events ?? []).reduce<MailerState>(
        (before, event: MailerEvent) => evolveMailer(before, event, { at }),
        state
      )
    }
    return state
  }

  test.each([
    ["three bounces of sixty", 60, ["bounced", "bounced", "bounced"], true],
    ["three bounces of sixty-one", 61, ["bounced", "bounced", "bounced"], false],
    ["two bounces of two", 2, ["bounced", "bounced"], false],
    ["one complaint of a thousand", 1000, ["complained"], true]
  ] as const)("with %s: suspended or not", (_name, recipients, what, isSuspended) => {
    expect(after(recipients, what).suspended_at !== null).toBe(isSuspended)
  })
})

describe("the service", () => {
  const after = (recipients: number, bounced: number, complained: number): MailServiceState => {
    const at = 1_800_000_000_000
    let state: MailServiceState = {
      ...NOTHING_SENT,
      days: { sent: [{ since: at, count: recipients }], bounced: [], complained: [] }
    }
    const outcomes = [
      ...Array.from({ length: bounced }, () => "bounced" as const),
      ...Array.from({ length: complained }, () => "complained" as const)
    ]
    for (const type of outcomes) state = evolveMailService(state, afterOutcome(state, type, at, limits))
    return state
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
    expect(after(recipients, bounced, complained).paused_at !== null).toBe(isPaused)
  })
})
