/** A card that is deleted and written again goes on with its day (spec 4.12; contract 17). */
import { expect, test } from "vitest"
import { decideFill } from "../../../actors/vault/decide-fills.ts"
import { decideDeleteEntry, decideWriteEntry } from "../../../actors/vault/decide.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { standing } from "../../support/standing.ts"
import type { OwnerStanding } from "../../../schemas/owner/operations.ts"
import type { EntryToWrite } from "../../../schemas/vault/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const BOUNDS = { ...LIMITS.vault, ...LIMITS.service.vault, ...LIMITS.limits.owner }
const SHOP = "https://shop.example"
const AT = Date.UTC(2026, 4, 3, 12)
const CARD = {
  by: { type: "agent" },
  kind: "card",
  label: null,
  origins: [],
  limits: { currency: "EUR", per_payment: "50", per_day: "50", fills_per_day: 3 },
  consent: null,
  unconfirmed: false,
  ciphertext: ""
} as const

/** A vault with a fill service. */
class World {
  at = AT
  state: VaultState = null

  constructor() {
    this.fold([
      { type: "vault.created", v: 1, uid: "v" },
      { type: "vault.key_published", v: 1, uid: "v", public_key: "k" },
      { type: "vault.service_admitted", v: 1, place: "here", hash: "h" }
    ])
  }

  fold(events: ReadonlyArray<VaultEvent> = []): void {
    for (const event of events) this.state = evolveVault(this.state, event, { at: this.at })
  }

  /** Its number, or why it was refused. */
  write(uid: string, more: Partial<EntryToWrite> = {}, owners: ReadonlyArray<OwnerStanding> = []): number | string {
    const facts = { sha256: "s", owners }
    const decided = decideWriteEntry(this.state, { ...CARD, uid, ...more }, { at: this.at, facts }, BOUNDS)
    this.fold(decided.events)
    return "refused" in decided ? decided.refused.code : (decided.reply?.entry ?? 0)
  }

  delete(entry: number | string): void {
    this.fold(decideDeleteEntry(this.state, { entry: Number(entry), by: "agent" }).events)
  }

  pay(entry: number | string, amount: string): string {
    const wanted = { entry_id: Number(entry), action: "pay", origin: SHOP, amount, currency: "EUR" } as const
    const decided = decideFill(this.state, { hash: "h", wanted }, { at: this.at, facts: [] }, BOUNDS)
    this.fold(decided.events)
    return "refused" in decided ? decided.refused.code : "opened"
  }
}

test("the day's total of a card outlives its deletion, for the very same card alone", () => {
  const world = new World()
  let entry = world.write("one")
  expect([world.pay(entry, "50"), world.pay(entry, "1")]).toEqual(["opened", "amount_over_day"])
  for (let again = 0; again < 2; again++) {
    world.delete(entry)
    entry = world.write("one")
    expect(world.pay(entry, "1")).toBe("amount_over_day")
  }
  expect(world.pay(world.write("another"), "50")).toBe("opened")
})

/** How it is filled by whoever holds the token, where an owner has to allow it. */
const ownersOf = ({ state }: World, uid: string): unknown =>
  state?.status === "active" ? state.entries.find((one) => one.uid === uid)?.consent?.owners : undefined

test.each([
  ["card", [{ consent: "owner" }, { consent: null }, { consent: "owner" }]],
  ["login", [{ consent: "owner" }, { consent: null }, { consent: null }, { consent: "owner" }]]
] as const)("a sealed %s keeps its first owners, also if it was here without consent in between", (kind, steps) => {
  const world = new World()
  const [first, later] = [standing(1), standing(2)]
  const more = kind === "card" ? {} : ({ kind, limits: null, origins: [SHOP] } as const)
  for (const [index, step] of steps.entries()) {
    const entry = world.write("one", { ...more, ...step }, index === 0 ? [first] : [first, later])
    expect(entry).toEqual(expect.any(Number))
    if (index === steps.length - 1) expect(ownersOf(world, "one")).toMatchObject([{ human: first.human }])
    world.delete(entry)
  }
})

test("a profile that another one replaces keeps its first owners, too", () => {
  const world = new World()
  const [first, later] = [standing(1), standing(2)]
  const profile = { kind: "profile", limits: null, origins: [] } as const
  world.write("one", { ...profile, consent: "owner" }, [first])
  world.write("two", { ...profile, consent: null }, [first, later])
  world.write("one", { ...profile, consent: "owner" }, [first, later])
  expect(ownersOf(world, "one")).toMatchObject([{ human: first.human }])
})

test("no number of other deleted entries makes the vault forget it; new ones are refused until their time is over", () => {
  const world = new World()
  const entry = world.write("one")
  world.pay(entry, "50")
  world.delete(entry)
  const written = Array.from({ length: 2 * BOUNDS.entries_max }, (_, n) => {
    const other = world.write(`other ${n}`, { consent: "owner" }, [standing(1)])
    if (typeof other === "number") world.delete(other)
    return typeof other === "number" ? "written" : other
  })
  expect(new Set(written.slice(BOUNDS.entries_max + BOUNDS.deleted_max))).toEqual(new Set(["vault_full"]))
  expect(world.pay(world.write("one"), "1")).toBe("amount_over_day")
  world.at += BOUNDS.deleted_seconds * 1000
  expect(world.write("new")).toEqual(expect.any(Number))
})
