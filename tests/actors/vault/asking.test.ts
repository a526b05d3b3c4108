/** How often an agent's owners are asked, whatever its fill service does (spec 4.12; contract 17). */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { decideConsent } from "../../../actors/vault/decide-consent.ts"
import { decideEndFill, decideFill } from "../../../actors/vault/decide-fills.ts"
import { decideDeleteEntry, decideWriteEntry } from "../../../actors/vault/decide.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import { opened } from "../../../actors/vault/opened.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { standing } from "../../support/standing.ts"
import { VAULT_SERVICE_LIMITS } from "../../../schemas/vault/limits.ts"

const BOUNDS = { ...LIMITS.vault, ...LIMITS.service.vault, ...LIMITS.limits.owner }
const CONSENT_MS = BOUNDS.consent_seconds * 1000
const PENDING_MS = BOUNDS.fill_pending_seconds * 1000
const SHOP = "https://shop.example"
const OWNERS = [standing(1)]
const [ASKS, PLAIN] = [1, 2]

const unread = () => Effect.die("nothing is to be read")
const NOWHERE = { keep: unread, read: unread, erase: unread }

/** Two logins, of which the first waits for an owner. */
class World {
  at = Date.UTC(2026, 4, 3, 12)
  state: VaultState = null

  constructor() {
    this.fold([
      { type: "vault.created", v: 1, uid: "v" },
      { type: "vault.key_published", v: 1, uid: "v", public_key: "k" },
      { type: "vault.service_admitted", v: 1, place: "here", hash: "h" }
    ])
    for (const consent of ["owner", null] as const) {
      const about = { by: { type: "agent" }, kind: "login", label: null, origins: [SHOP], limits: null } as const
      const input = { ...about, uid: String(consent), consent, unconfirmed: false, ciphertext: "" }
      this.fold(
        decideWriteEntry(this.state, input, { at: this.at, facts: { sha256: "s", owners: OWNERS } }, BOUNDS).events ??
          []
      )
    }
  }

  fold(events: ReadonlyArray<VaultEvent>): void {
    for (const event of events) this.state = evolveVault(this.state, event, { at: this.at })
  }

  /** Its number, or why it was refused. */
  fill(entry_id: number): number | string {
    const wanted = { entry_id, action: "login", origin: SHOP } as const
    const decided = decideFill(this.state, { hash: "h", wanted }, { at: this.at, facts: OWNERS }, BOUNDS)
    this.fold(decided.events ?? [])
    return "refused" in decided ? decided.refused.code : (decided.reply?.fill ?? 0)
  }

  /** As its service hears of it. */
  told(fill: number): Promise<string> {
    const found = opened(NOWHERE, this.state, { hash: "h", fill }, { id: "hx1", at: this.at })
    return Effect.runPromise(Effect.match(found, { onSuccess: () => "there", onFailure: ({ code }) => code }))
  }

  takeBack(fill: number): string {
    const input = { hash: "h", fill, status: "failed", code: null } as const
    const decided = decideEndFill(this.state, input, { at: this.at }, BOUNDS)
    this.fold(decided.events ?? [])
    return "refused" in decided ? decided.refused.code : "ended"
  }

  decline(fill: number): void {
    const input = { human: "hum_1", fill, allow: false }
    this.fold(decideConsent(this.state, input, { at: this.at, facts: OWNERS }, BOUNDS).events ?? [])
  }
}

test("a fill that is taken back, and asked for again, asks owners no oftener than one that waits", () => {
  const world = new World()
  const outcomes = Array.from({ length: 20 }, () => {
    const fill = world.fill(ASKS)
    if (typeof fill === "string") return fill
    expect([world.takeBack(fill), world.takeBack(fill)]).toEqual(["ended", "not_found"])
    return "asked"
  })
  expect(outcomes.filter((one) => one === "asked")).toHaveLength(BOUNDS.asked_max)
  expect(new Set(outcomes.slice(BOUNDS.asked_max))).toEqual(new Set(["fills_pending_full"]))
  expect(world.fill(PLAIN)).toBeTypeOf("number")
  world.at += CONSENT_MS
  expect(world.fill(ASKS)).toBeTypeOf("number")
})

test("silence after a decline begins with the decline, however long the question had waited", () => {
  const world = new World()
  const fill = Number(world.fill(ASKS))
  world.at += CONSENT_MS - 1000
  world.decline(fill)
  world.at += CONSENT_MS - 1000
  expect(world.fill(ASKS)).toBe("owner_declined")
  world.at += 1000
  expect(world.fill(ASKS)).toBeTypeOf("number")
})

test("silence outlasts a flood of fills that expire", () => {
  const world = new World()
  world.decline(Number(world.fill(ASKS)))
  const silentUntil = world.at + CONSENT_MS
  for (let fills = 0; fills <= VAULT_SERVICE_LIMITS.late_max;) {
    for (; typeof world.fill(PLAIN) === "number"; fills++);
    world.at += PENDING_MS
  }
  world.fill(PLAIN)
  expect(world.at).toBeLessThanOrEqual(silentUntil)
  world.at = silentUntil - 1
  expect(world.fill(ASKS)).toBe("owner_declined")
})

test("whoever waits for an owner hears at once that the entry is gone", async () => {
  const world = new World()
  const fill = Number(world.fill(ASKS))
  expect(await world.told(fill)).toBe("there")
  world.fold(decideDeleteEntry(world.state, { entry: ASKS, by: "owner" }).events ?? [])
  expect(await world.told(fill)).toBe("entry_unknown")
})

test("a fill that is one too many is in the journal", () => {
  const world = new World()
  while (typeof world.fill(PLAIN) === "number");
  const wanted = { entry_id: PLAIN, action: "login", origin: SHOP } as const
  const decided = decideFill(world.state, { hash: "h", wanted }, { at: world.at, facts: [] }, BOUNDS)
  expect(decided.events).toEqual([expect.objectContaining({ type: "vault.fill_refused", code: "fills_pending_full" })])
})
