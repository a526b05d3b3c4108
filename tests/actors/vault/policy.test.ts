/**
 * A day's limit, under any sequence of fills, refusals, ends, expiries, late results, midnights, clocks set back and
 * repeats: what the vault lets through is held against a sum of its own (spec 4.12; contract 17).
 */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decideConsent } from "../../../actors/vault/decide-consent.ts"
import { decideEndFill, decideFill } from "../../../actors/vault/decide-fills.ts"
import { decideExpire, EXPIRE_TIMER } from "../../../actors/vault/open-fills.ts"
import { decideChangeEntry, decideWriteEntry } from "../../../actors/vault/decide.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import { dayOf, isForgotten, totalOf } from "../../../actors/vault/policy.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { standing } from "../../support/standing.ts"
import { amountOf, minorOf } from "../../../schemas/vault/money.ts"

const BOUNDS = { ...LIMITS.vault, ...LIMITS.service.vault, ...LIMITS.limits.owner }
const DAY = 86_400_000
/** Near the end of a day. */
const BEGIN = Date.UTC(2026, 4, 3, 23, 58)
const PENDING = BOUNDS.fill_pending_seconds * 1000
const SHOP = "https://shop.example"
/** Of the first card payments above that wait for an owner. */
const ABOVE = { minor: 3000, amount: "30" } as const
const CARDS = [
  { currency: "EUR", per_payment: "50", per_day: "80", fills_per_day: 3 },
  { currency: "JPY", per_payment: 500, per_day: 900, fills_per_day: 4 }
] as const

const OWNERS = [standing(1)]
const UNCOUNTED: ReadonlySet<string> = new Set(["expired", "declined", "unanswered"])

interface Opened {
  readonly fill: number
  readonly entry: number
  readonly day: number
  readonly minor: number
  state: "asked" | "pending" | "done" | "failed" | "expired" | "declined" | "unanswered"
}

class World {
  at = BEGIN
  state: VaultState = null
  readonly opened: Array<Opened> = []

  constructor() {
    this.fold([
      { type: "vault.created", v: 1, uid: "v" },
      { type: "vault.key_published", v: 1, uid: "v", public_key: "k" },
      { type: "vault.service_admitted", v: 1, place: "here", hash: "h" }
    ])
    CARDS.forEach((limits, index) => {
      const input = {
        by: { type: "agent" },
        uid: String(index),
        kind: "card",
        label: null,
        origins: [],
        limits,
        consent: index === 0 ? { above: ABOVE.amount, currency: limits.currency } : null
      } as const
      const context = { at: this.at, facts: { sha256: "s", owners: OWNERS } }
      const decided = decideWriteEntry(this.state, { ...input, unconfirmed: false, ciphertext: "" }, context, BOUNDS)
      this.fold(decided.events ?? [])
    })
  }

  fold(events: ReadonlyArray<VaultEvent>): void {
    for (const event of events) {
      if (event.type === "vault.fills_expired")
        for (const one of this.opened)
          if (event.fills.includes(one.fill)) one.state = one.state === "asked" ? "unanswered" : "expired"
      this.state = evolveVault(this.state, event, { at: this.at })
    }
  }

  pay(entry: number, amount: string): string {
    const { currency } = CARDS[entry - 1] ?? CARDS[0]
    const wanted = { entry_id: entry, action: "pay", origin: SHOP, amount, currency } as const
    const decided = decideFill(this.state, { hash: "h", wanted }, { at: this.at, facts: OWNERS }, BOUNDS)
    this.fold(decided.events ?? [])
    if ("refused" in decided) return decided.refused.code
    const fill = decided.reply?.fill ?? 0
    const minor = minorOf(amount, currency) ?? 0
    const asks = entry === 1 && minor > ABOVE.minor
    this.opened.push({ fill, entry, day: dayOf(this.at), minor, state: asks ? "asked" : "pending" })
    return asks ? "asked" : "opened"
  }

  /** Allowed at once, where that is needed. */
  paid(entry: number, amount: string): string {
    const outcome = this.pay(entry, amount)
    if (outcome !== "asked") return outcome
    return this.consent(this.opened.at(-1)?.fill ?? 0, true) === "allowed" ? "opened" : "not allowed"
  }

  end(fill: number, status: "done" | "failed"): string {
    const decided = decideEndFill(this.state, { hash: "h", fill, status, code: null }, { at: this.at }, BOUNDS)
    this.fold(decided.events ?? [])
    if ("refused" in decided) return decided.refused.code
    const found = this.opened.find((one) => one.fill === fill)
    // A late failure does not count again.
    if (found !== undefined && !(found.state === "expired" && status === "failed"))
      found.state = found.state === "asked" ? "declined" : status
    return decided.reply?.late === true ? "late" : "ended"
  }

  expire(): void {
    this.fold(decideExpire(this.state, { name: EXPIRE_TIMER }, { at: this.at }).events ?? [])
  }

  consent(fill: number, allow: boolean): string {
    const decided = decideConsent(this.state, { human: "hum_1", fill, allow }, { at: this.at, facts: OWNERS }, BOUNDS)
    this.fold(decided.events ?? [])
    if ("refused" in decided) return decided.refused.code
    const found = this.opened.find((one) => one.fill === fill)
    if (found !== undefined) found.state = allow ? "pending" : "declined"
    return allow ? "allowed" : "declined"
  }

  /** What counts on a day, by this test's own sum. */
  counted(entry: number, day: number): { readonly minor: number; readonly fills: number } {
    const all = this.opened.filter((one) => one.entry === entry && one.day === day && !UNCOUNTED.has(one.state))
    return { minor: all.reduce((sum, { minor }) => sum + minor, 0), fills: all.length }
  }
}

const STEP = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("pay" as const),
      entry: fc.integer({ min: 1, max: 2 }),
      cents: fc.nat(6000)
    })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("end" as const), nth: fc.nat(8), ok: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("consent" as const), nth: fc.nat(4), ok: fc.boolean() }) },
  fc.record({ do: fc.constant("expire" as const) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: -PENDING, max: 2 * PENDING }) }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("jump" as const), days: fc.constantFrom(-4, -3, -2, -1, 1, 1, 2, 3) })
  }
)
type Step = typeof STEP extends fc.Arbitrary<infer One> ? One : never

const take = (world: World, step: Step): void => {
  if (step.do === "pay") {
    const amount = step.entry === 1 ? amountOf(step.cents, "EUR") : String(step.cents % 700)
    const [{ day }, before] = [{ day: dayOf(world.at) }, world.opened.length]
    world.pay(step.entry, amount)
    if (world.opened.length === before) return
    const limits = CARDS[step.entry - 1] ?? CARDS[0]
    const { minor, fills } = world.counted(step.entry, day)
    expect(minor).toBeLessThanOrEqual(minorOf(limits.per_day, limits.currency) ?? 0)
    expect(fills).toBeLessThanOrEqual(limits.fills_per_day)
  } else if (step.do === "end") {
    const found = world.opened.at(-1 - step.nth)
    if (found !== undefined) world.end(found.fill, step.ok ? "done" : "failed")
  } else if (step.do === "consent") {
    const found = world.opened.at(-1 - step.nth)
    if (found !== undefined) world.consent(found.fill, step.ok)
  } else if (step.do === "expire") world.expire()
  else world.at += step.do === "wait" ? step.ms : step.days * DAY
}

test("a day's limit is never exceeded when a fill is opened, whatever happened before", () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 60, size: "max" }), (steps) => {
      const world = new World()
      for (const step of steps) {
        take(world, step)
        for (const entry of world.state?.entries ?? []) {
          if (isForgotten(entry, dayOf(world.at))) continue
          const { minor, fills } = totalOf(entry, dayOf(world.at))
          expect({ minor, fills }).toEqual(world.counted(entry.id, dayOf(world.at)))
        }
      }
    }),
    { numRuns: 1000 }
  )
})

describe("a fill that an owner has to allow", () => {
  const asked = () => {
    const world = new World()
    expect(world.pay(1, "50")).toBe("asked")
    return world
  }
  const total = (world: World) => totalOf(world.state?.entries[0] ?? { days: [] }, dayOf(BEGIN))

  test("counts while it waits, and goes on as any other once it is allowed", () => {
    const world = asked()
    expect([world.pay(1, "30.01"), world.pay(1, "30")]).toEqual(["amount_over_day", "opened"])
    expect(world.end(1, "done")).toBe("consent_pending")
    expect([world.consent(1, true), world.consent(1, true), world.consent(1, false)]).toEqual([
      "allowed",
      "not_found",
      "not_found"
    ])
    expect(world.end(1, "done")).toBe("ended")
    expect(total(world)).toMatchObject({ minor: 8000, fills: 2 })
  })

  test("counts no more once it is declined, and is not asked for again for a while", () => {
    const world = asked()
    expect([world.consent(1, false), world.end(1, "done"), world.pay(1, "31")]).toEqual([
      "declined",
      "not_found",
      "owner_declined"
    ])
    expect(total(world)).toMatchObject({ minor: 0, fills: 0 })
    world.at += BOUNDS.consent_seconds * 1000
    expect(world.pay(1, "31")).toBe("asked")
  })

  test("ends unanswered, and nothing of it can be told later", () => {
    const world = asked()
    world.at += BOUNDS.consent_seconds * 1000
    expect([world.consent(1, true), world.end(1, "done")]).toEqual(["not_found", "not_found"])
    expect(total(world)).toMatchObject({ minor: 0, fills: 0 })
  })

  test("is not let in by a consent that comes after the card was narrowed", () => {
    const world = asked()
    const limits = { currency: "EUR", per_payment: "40", per_day: "80", fills_per_day: 3 }
    world.fold(decideChangeEntry(world.state, { entry: 1, origins: null, limits }, BOUNDS).events ?? [])
    expect(world.consent(1, true)).toBe("not_found")
    expect(total(world)).toMatchObject({ minor: 0, fills: 0 })
  })

  test("is refused where nobody could allow it", () => {
    const world = new World()
    const wanted = { entry_id: 1, action: "pay", origin: SHOP, amount: "31", currency: "EUR" } as const
    const decided = decideFill(world.state, { hash: "h", wanted }, { at: world.at, facts: [] }, BOUNDS)
    expect("refused" in decided ? decided.refused.code : "opened").toBe("owner_none")
    expect(decided.events?.map(({ type }) => type)).toEqual(["vault.fill_refused"])
  })
})

describe("a fill", () => {
  test("that expires does not count, and counts again if it went well after all", () => {
    const world = new World()
    expect([world.paid(1, "50"), world.pay(1, "30.01")]).toEqual(["opened", "amount_over_day"])
    world.at += PENDING - 1
    expect(world.pay(1, "30.01")).toBe("amount_over_day")
    world.at += 1
    // Past midnight by now: the day of its opening is another.
    world.at = BEGIN + PENDING
    expect(dayOf(world.at)).not.toBe(dayOf(BEGIN))
    expect(world.paid(1, "50")).toBe("opened")
    expect(world.end(1, "done")).toBe("late")
    expect(world.end(1, "done")).toBe("not_found")
    expect(totalOf(world.state?.entries[0] ?? { days: [] }, dayOf(BEGIN))).toMatchObject({ minor: 5000, fills: 1 })
  })

  test("of a moment ago counts also where the clock was set back", () => {
    const world = new World()
    world.at += 5 * 60_000
    expect([world.paid(1, "50"), world.end(1, "done"), world.pay(1, "30")]).toEqual(["opened", "ended", "opened"])
    world.at -= 2 * 60_000
    expect(world.pay(1, "0.01")).toBe("amount_over_day")
  })

  test("of a day that is known no more is refused, however far the clock was set back", () => {
    const world = new World()
    for (const days of [0, 1, 1, 1]) {
      world.at += days * DAY
      expect([world.paid(1, "50"), world.pay(1, "30")]).toEqual(["opened", "opened"])
    }
    // The first of them, and one before all of them.
    for (const days of [3, 4]) {
      world.at -= days * DAY
      expect(world.pay(1, "0.01")).toBe("amount_over_day")
      world.at += days * DAY
    }
    world.at += DAY
    expect(world.paid(1, "50")).toBe("opened")
  })

  test("is judged by limits as they were narrowed", () => {
    const world = new World()
    const limits = { currency: "EUR", per_payment: "10", per_day: "15", fills_per_day: 3 }
    world.fold(decideChangeEntry(world.state, { entry: 1, origins: null, limits }, BOUNDS).events ?? [])
    expect(["10.01", "10", "5.01", "5"].map((amount) => world.pay(1, amount))).toEqual([
      "amount_over_payment",
      "opened",
      "amount_over_day",
      "opened"
    ])
  })
})

describe("the timer of open fills", () => {
  const opened = () => {
    const world = new World()
    expect(world.pay(1, "10")).toBe("opened")
    const due = world.at + PENDING
    return { world, due, fired: (at: number) => decideExpire(world.state, { name: EXPIRE_TIMER, at: due }, { at }) }
  }

  test("is put off if it fires early by this node's clock, and not set again for a time that is over on the bus", () => {
    const { fired, due } = opened()
    expect(fired(due - 1)).toMatchObject({ refused: { code: "unavailable" } })
    expect(fired(due)).toMatchObject({ events: [{ type: "vault.fills_expired", fills: [1] }] })
  })

  test("is set for the next fill, if it was set for another", () => {
    const { world, fired, due } = opened()
    world.at += 1000
    expect(world.pay(2, "100")).toBe("opened")
    expect(fired(due)).toMatchObject({
      events: [{ type: "vault.fills_expired", fills: [1] }],
      timers: [{ name: EXPIRE_TIMER, at: due + 1000 }]
    })
    world.end(1, "done")
    expect(fired(due)).toEqual({ events: [], timers: [{ name: EXPIRE_TIMER, at: due + 1000 }] })
  })
})

describe("a vault that came back from a backup", () => {
  const MIDNIGHT = Date.UTC(2026, 4, 4)
  const restored = (cards_from: number | null): World => {
    const world = new World()
    world.paid(2, "100")
    world.fold([{ type: "vault.restored", v: 1, cards_from }])
    return world
  }
  const admitted = (world: World): World => {
    world.fold([{ type: "vault.service_admitted", v: 1, place: "here", hash: "h" }])
    return world
  }

  test("knows no token of a fill service any more", () => {
    expect(restored(null).pay(2, "100")).toBe("token_invalid")
    expect(restored(null).state?.ended).toEqual(["h"])
    expect(admitted(restored(null)).pay(2, "100")).toBe("opened")
  })

  test("fills no card until the day is over", () => {
    const world = admitted(restored(MIDNIGHT))
    expect(world.pay(2, "100")).toBe("fills_over_day")
    world.at = MIDNIGHT - 1
    expect(world.pay(2, "100")).toBe("fills_over_day")
    world.at = MIDNIGHT
    expect(world.pay(2, "100")).toBe("opened")
  })
})
