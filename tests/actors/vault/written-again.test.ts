/** A card that is deleted and written again goes on with its day (spec 4.12; contract 17). */
import { expect, test } from "vitest"
import { decideFill } from "../../../actors/vault/decide-fills.ts"
import { decideDeleteEntry, decideWriteEntry } from "../../../actors/vault/decide.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const BOUNDS = { ...LIMITS.vault, ...LIMITS.service.vault, ...LIMITS.limits.owner }
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

test("the day's total of a card outlives its deletion, for the very same card alone", () => {
  let state: VaultState = null
  const fold = (events: ReadonlyArray<VaultEvent> = []): void => {
    for (const event of events) state = evolveVault(state, event, { at: AT })
  }
  const write = (uid: string): void =>
    fold(decideWriteEntry(state, { ...CARD, uid }, { at: AT, facts: { sha256: "s", owners: [] } }, BOUNDS).events)
  const pay = (entry_id: number, amount: string): string => {
    const wanted = { entry_id, action: "pay", origin: "https://shop.example", amount, currency: "EUR" } as const
    const decided = decideFill(state, { hash: "h", wanted }, { at: AT, facts: [] }, BOUNDS)
    fold(decided.events)
    return "refused" in decided ? decided.refused.code : "opened"
  }
  fold([
    { type: "vault.created", v: 1, uid: "v" },
    { type: "vault.key_published", v: 1, uid: "v", public_key: "k" },
    { type: "vault.service_admitted", v: 1, place: "here", hash: "h" }
  ])
  write("one")
  expect([pay(1, "50"), pay(1, "1")]).toEqual(["opened", "amount_over_day"])
  for (const entry of [1, 2]) {
    fold(decideDeleteEntry(state, { entry, by: "agent" }).events)
    write("one")
    expect(pay(entry + 1, "1")).toBe("amount_over_day")
  }
  write("another")
  expect(pay(4, "50")).toBe("opened")
})
