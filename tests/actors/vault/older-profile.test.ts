/** A profile that an older release stored with a label has none any more (contract 22). */
import { expect, test } from "vitest"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"

test("the label of an older profile is not in the state, and that of a login is", () => {
  const written = (entry: number, kind: "profile" | "login"): VaultEvent => ({
    type: "vault.entry_written",
    v: 1,
    vault: "v",
    entry,
    uid: `uid ${entry}`,
    kind,
    label: "Ada's",
    origins: [],
    limits: null,
    source: "agent",
    unconfirmed: false,
    sha256: "s",
    replaced: null
  })
  const events: ReadonlyArray<VaultEvent> = [
    { type: "vault.created", v: 1, uid: "v" },
    written(1, "profile"),
    written(2, "login")
  ]
  const state = events.reduce<VaultState>((before, event) => evolveVault(before, event, { at: 0 }), null)
  expect(state?.entries.map(({ kind, label }) => [kind, label])).toEqual([
    ["profile", null],
    ["login", "Ada's"]
  ])
})
