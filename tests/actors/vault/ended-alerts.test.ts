/** Alerts about tokens that have ended leave places for other security events at the owners. Pure. */
import { expect, test } from "vitest"
import { hasPlace, type News, withNews } from "../../../actors/human/relay/room.ts"
import { decideMisused } from "../../../actors/vault/decide-fills.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const UID = "0d155771-8b7d-4ac4-bcef-166fd4a481c7"
const MINUTE = 60_000
const DAY_MINUTES = 1440
const bounds = LIMITS.service.vault

class World {
  state: VaultState = null

  constructor(hashes: ReadonlyArray<string>) {
    this.fold([{ type: "vault.created", v: 1, uid: UID }], 0)
    hashes.forEach((hash, index) => {
      const source = index + 1
      this.fold([{ type: "vault.source_created", v: 1, source, label: "Bank", kinds: ["login"], hash }], 0)
      this.fold([{ type: "vault.source_revoked", v: 1, source }], 0)
    })
  }

  fold(events: ReadonlyArray<VaultEvent>, at: number): void {
    for (const event of events) this.state = evolveVault(this.state, event, { at })
  }

  /** True if the use of the token makes an alert. */
  uses(hash: string, at: number): boolean {
    const { events = [] } = decideMisused(this.state, { hash }, { at }, bounds)
    this.fold(events, at)
    return events.length > 0
  }
}

/** The minutes of alerts if the token is used each minute. */
const alertsIn = (world: World, hash: string, from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from }, (_, n) => from + n).filter((minute) => world.uses(hash, minute * MINUTE))

test("an ended token that is used each minute is reported in gaps that double, up to a day", () => {
  const world = new World(["one"])
  const minutes = alertsIn(world, "one", 0, 5 * DAY_MINUTES)
  const gaps = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0))
  expect(gaps.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024])
  expect(new Set(gaps.slice(11))).toEqual(new Set([DAY_MINUTES]))
})

test("other security events have a place at each minute of the day", () => {
  const { relay_security } = LIMITS.limits.owner
  const world = new World(["one"])
  const about = { agent: "hx1" }
  let news: News = []
  let without = 0
  for (let minute = 0; minute < DAY_MINUTES; minute++) {
    const at = minute * MINUTE
    if (world.uses("one", at) && hasPlace(news, about, at, relay_security, 2)) news = withNews(news, about, at)
    if (!hasPlace(news, about, at, relay_security, 2)) without++
  }
  expect(without).toBe(0)
})

test("the first use of each ended token is reported, at most one a minute, also by the next vault", () => {
  const world = new World(["one", "two", "three"])
  alertsIn(world, "one", 0, 100)
  expect([world.uses("two", 100 * MINUTE), world.uses("three", 100 * MINUTE)]).toEqual([true, false])
  expect([world.uses("three", 101 * MINUTE), world.uses("two", 102 * MINUTE)]).toEqual([true, false])
  world.fold([{ type: "vault.revoked", v: 1, uid: UID, by: "agent" }], 103 * MINUTE)
  world.fold([{ type: "vault.created", v: 1, uid: UID }], 104 * MINUTE)
  expect(world.uses("two", 105 * MINUTE)).toBe(false)
})

test("after two quiet days, gaps start anew", () => {
  const world = new World(["one"])
  alertsIn(world, "one", 0, DAY_MINUTES)
  expect(alertsIn(world, "one", 4 * DAY_MINUTES, 4 * DAY_MINUTES + 4)).toEqual(
    [0, 1, 3].map((minute) => 4 * DAY_MINUTES + minute)
  )
})
