/**
 * A day's limit, under any sequence of fills, refusals, ends, expiries, late results, midnights, clocks set back and
 * repeats: what the vault lets through is held against a sum of its own (spec 4.12; contract 17).
 */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decideEndFill, decideExpire, decideFill, EXPIRE_TIMER } from "../../../actors/vault/decide-fills.ts"
import { decideChangeEntry, decideWriteEntry } from "../../../actors/vault/decide.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import { dayOf, isForgotten, totalOf } from "../../../actors/vault/policy.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { amountOf, isCurrency, minorOf } from "../../../schemas/vault/money.ts"
import { originProblem } from "../../../schemas/vault/origins.ts"

const BOUNDS = { ...LIMITS.vault, ...LIMITS.service.vault }
const DAY = 86_400_000
/** Near the end of a day. */
const BEGIN = Date.UTC(2026, 4, 3, 23, 58)
const PENDING = BOUNDS.fill_pending_seconds * 1000
const SHOP = "https://shop.example"
const CARDS = [
  { currency: "EUR", per_payment: "50", per_day: "80", fills_per_day: 3 },
  { currency: "JPY", per_payment: 500, per_day: 900, fills_per_day: 4 }
] as const

interface Opened {
  readonly fill: number
  readonly entry: number
  readonly day: number
  readonly minor: number
  readonly until: number
  state: "pending" | "done" | "failed" | "expired"
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
        limits
      } as const
      const decided = decideWriteEntry(this.state, { ...input, unconfirmed: false, ciphertext: "" }, "s", BOUNDS)
      this.fold(decided.events ?? [])
    })
  }

  fold(events: ReadonlyArray<VaultEvent>): void {
    for (const event of events) {
      if (event.type === "vault.fills_expired")
        for (const one of this.opened) if (event.fills.includes(one.fill)) one.state = "expired"
      this.state = evolveVault(this.state, event, { at: this.at })
    }
  }

  pay(entry: number, amount: string): string {
    const { currency } = CARDS[entry - 1] ?? CARDS[0]
    const wanted = { entry_id: entry, action: "pay", origin: SHOP, amount, currency } as const
    const decided = decideFill(this.state, { hash: "h", wanted }, { at: this.at }, BOUNDS)
    this.fold(decided.events ?? [])
    if ("refused" in decided) return decided.refused.code
    const fill = decided.reply?.fill ?? 0
    const minor = minorOf(amount, currency) ?? 0
    this.opened.push({ fill, entry, day: dayOf(this.at), minor, until: this.at + PENDING, state: "pending" })
    return "opened"
  }

  end(fill: number, status: "done" | "failed"): string {
    const decided = decideEndFill(this.state, { hash: "h", fill, status, code: null }, { at: this.at })
    this.fold(decided.events ?? [])
    if ("refused" in decided) return decided.refused.code
    const found = this.opened.find((one) => one.fill === fill)
    // A late failure does not count again.
    if (found !== undefined && !(found.state === "expired" && status === "failed")) found.state = status
    return decided.reply?.late === true ? "late" : "ended"
  }

  expire(): void {
    this.fold(decideExpire(this.state, { name: EXPIRE_TIMER }, { at: this.at }).events ?? [])
  }

  /** What counts on a day, by this test's own sum. */
  counted(entry: number, day: number): { readonly minor: number; readonly fills: number } {
    const all = this.opened.filter((one) => one.entry === entry && one.day === day && one.state !== "expired")
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

describe("a fill", () => {
  test("that expires does not count, and counts again if it went well after all", () => {
    const world = new World()
    expect([world.pay(1, "50"), world.pay(1, "30.01")]).toEqual(["opened", "amount_over_day"])
    world.at += PENDING - 1
    expect(world.pay(1, "30.01")).toBe("amount_over_day")
    world.at += 1
    // Past midnight by now: the day of its opening is another.
    world.at = BEGIN + PENDING
    expect(dayOf(world.at)).not.toBe(dayOf(BEGIN))
    expect(world.pay(1, "50")).toBe("opened")
    expect(world.end(1, "done")).toBe("late")
    expect(world.end(1, "done")).toBe("not_found")
    expect(totalOf(world.state?.entries[0] ?? { days: [] }, dayOf(BEGIN))).toMatchObject({ minor: 5000, fills: 1 })
  })

  test("of a moment ago counts also where the clock was set back", () => {
    const world = new World()
    world.at += 5 * 60_000
    expect([world.pay(1, "50"), world.end(1, "done"), world.pay(1, "30")]).toEqual(["opened", "ended", "opened"])
    world.at -= 2 * 60_000
    expect(world.pay(1, "0.01")).toBe("amount_over_day")
  })

  test("of a day that is known no more is refused, however far the clock was set back", () => {
    const world = new World()
    for (const days of [0, 1, 1, 1]) {
      world.at += days * DAY
      expect([world.pay(1, "50"), world.pay(1, "30")]).toEqual(["opened", "opened"])
    }
    // The first of them, and one before all of them.
    for (const days of [3, 4]) {
      world.at -= days * DAY
      expect(world.pay(1, "0.01")).toBe("amount_over_day")
      world.at += days * DAY
    }
    world.at += DAY
    expect(world.pay(1, "50")).toBe("opened")
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

test.each([
  ["1", "EUR", 100],
  ["1.5", "EUR", 150],
  ["1.50", "EUR", 150],
  ["1.500", "EUR", 150],
  ["1.505", "EUR", null],
  [12.34, "EUR", 1234],
  [0.1 + 0.2, "EUR", null],
  ["500", "JPY", 500],
  ["0.5", "JPY", null],
  ["1.234", "KWD", 1234],
  ["-1", "EUR", null],
  ["1e3", "EUR", null],
  ["1,5", "EUR", null],
  ["", "EUR", null],
  [Number.NaN, "EUR", null],
  ["0000001", "EUR", 100]
] as const)("%j of %s is %j", (amount, currency, minor) => {
  expect(minorOf(amount, currency)).toBe(minor)
  if (minor !== null) expect(minorOf(amountOf(minor, currency), currency)).toBe(minor)
})

test("what nobody pays in is no currency", () => {
  expect(["EUR", "JPY", "XAU", "XXX", "eur", "E"].map(isCurrency)).toEqual([true, true, false, false, false, false])
})

test.each([
  ["https://shop.example", null],
  ["https://shop.example:8443", null],
  ["https://xn--bcher-kva.example", null],
  ["https://bücher.example", "page_not_https"],
  ["https://shop.example/", "page_not_https"],
  ["https://shop.example@evil.example", "page_not_https"],
  ["https://SHOP.example", "page_not_https"],
  ["http://shop.example", "page_not_https"],
  ["data:text/html,x", "page_not_https"],
  ["blob:https://shop.example/1", "page_not_https"],
  ["null", "page_not_https"],
  ["https://127.0.0.1", "page_host_refused"],
  ["https://0x7f.1", "page_not_https"],
  ["https://[::1]", "page_host_refused"],
  ["https://localhost", "page_host_refused"],
  ["https://nas", "page_host_refused"],
  ["https://router.local", "page_host_refused"],
  ["https://*.shop.example", "page_host_refused"],
  ["https://my_shop.shop.example", null],
  ["https://shop..example", "page_host_refused"],
  ["https://shop.example.", "page_host_refused"]
] as const)("the origin %s: %s", (origin, problem) => {
  expect(originProblem(origin)).toBe(problem)
})
