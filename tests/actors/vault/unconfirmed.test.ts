/** When an account that the fill service made counts as made (contract 22). */
import { expect, test } from "vitest"
import { decideWriteEntry } from "../../../actors/vault/decide.ts"
import { decideEndFill, decideFill } from "../../../actors/vault/decide-fills.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import type { FillAction } from "../../../schemas/vault/records.ts"

const BOUNDS = { ...LIMITS.vault, ...LIMITS.service.vault, ...LIMITS.limits.owner }
const AT = Date.UTC(2026, 4, 3)
const SHOP = "https://shop.example"

/** Of an account that was just stored, whether it is unconfirmed after a fill that ended so. */
const isUnconfirmed = (
  action: FillAction,
  end: { readonly status: "done" | "failed"; readonly accepted?: boolean }
) => {
  let state = null as VaultState
  const fold = (events: ReadonlyArray<VaultEvent> = []): void => {
    for (const event of events) state = evolveVault(state, event, { at: AT })
  }
  fold([
    { type: "vault.created", v: 1, uid: "v" },
    { type: "vault.key_published", v: 1, uid: "v", public_key: "k" },
    { type: "vault.service_admitted", v: 1, place: "here", hash: "h" }
  ])
  const written = {
    by: { type: "service", hash: "h" },
    uid: "one",
    kind: "login",
    label: null,
    origins: [SHOP],
    limits: null,
    consent: null,
    unconfirmed: true,
    ciphertext: ""
  } as const
  fold(decideWriteEntry(state, written, { at: AT, facts: { sha256: "s", owners: [] } }, BOUNDS).events)
  const wanted = { entry_id: 1, action, origin: SHOP }
  fold(decideFill(state, { hash: "h", wanted }, { at: AT, facts: [] }, BOUNDS).events)
  fold(decideEndFill(state, { hash: "h", fill: 1, code: null, ...end }, { at: AT }, BOUNDS).events)
  return (state as VaultState)?.entries[0]?.unconfirmed
}

test.each([
  ["signup", { status: "done", accepted: true }, false],
  ["signup", { status: "done", accepted: false }, true],
  ["signup", { status: "done" }, false],
  ["signup", { status: "failed", accepted: true }, true],
  ["login", { status: "done", accepted: true }, false],
  ["login", { status: "done", accepted: false }, true],
  ["login", { status: "done" }, true],
  ["login", { status: "failed" }, true]
] as const)("a %s that ended with %j leaves it unconfirmed: %j", (action, end, expected) => {
  expect(isUnconfirmed(action, end)).toBe(expected)
})
