/** Who may consent to fills of an entry (contract 22): by example, and under any history of owners. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { consentersNow, consentersOf } from "../../../actors/vault/consenters.ts"
import { decideConsent } from "../../../actors/vault/decide-consent.ts"
import { decideFill } from "../../../actors/vault/decide-fills.ts"
import { decideDeleteEntry, decideWriteEntry } from "../../../actors/vault/decide.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import { type VaultEvent, VaultEvent as Event, type VaultState } from "../../../actors/vault/state.ts"
import { Schema } from "effect"
import { LIMITS } from "../../../schemas/limits.ts"
import type { OwnerStanding } from "../../../schemas/owner/operations.ts"
import { standing } from "../../support/standing.ts"

const BOUNDS = { ...LIMITS.vault, ...LIMITS.service.vault, ...LIMITS.limits.owner }
const WAIT_MS = BOUNDS.later_owner_seconds * 1000
const AT = Date.UTC(2026, 4, 3, 12)
const SHOP = "https://shop.example"

const say = (sponsorship: number, approves: boolean) => ({ human: `hum_${sponsorship}`, approves })
/** Confirmed at that time, with these owners before it. */
const later = (sponsorship: number, at: number, before: ReadonlyArray<number>, more: Partial<OwnerStanding> = {}) =>
  standing(sponsorship, { since: at, told: { humans: before.map((one) => `hum_${one}`), at }, ...more })

const FIRST = standing(1, { since: AT - 1 })

class World {
  at = AT
  state: VaultState = null
  owners: ReadonlyArray<OwnerStanding> = [FIRST]

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

  /** Its number, or why it is refused. */
  write(uid: string): number | string {
    const about = { by: { type: "agent" }, kind: "login", label: null, origins: [SHOP], limits: null } as const
    const input = { ...about, uid, consent: "owner", unconfirmed: false, ciphertext: "" } as const
    const context = { at: this.at, facts: { sha256: uid, owners: this.owners } }
    const decided = decideWriteEntry(this.state, input, context, BOUNDS)
    this.fold(decided.events)
    return "refused" in decided ? decided.refused.code : (decided.reply?.entry ?? 0)
  }

  delete(entry: number): void {
    this.fold(decideDeleteEntry(this.state, { entry, by: "agent" }).events)
  }

  /** Whom a fill asks, or why there is none. */
  fill(entry_id: number): ReadonlyArray<string> | string {
    const wanted = { entry_id, action: "login", origin: SHOP } as const
    const decided = decideFill(this.state, { hash: "h", wanted }, { at: this.at, facts: this.owners }, BOUNDS)
    this.fold(decided.events)
    if ("refused" in decided) return decided.refused.code
    return decided.events.flatMap((event) => (event.type === "vault.consent_asked" ? event.owners : []))
  }

  allow(human: string): string {
    const input = { human, fill: this.state?.last.fill ?? 0, allow: true }
    const decided = decideConsent(this.state, input, { at: this.at, facts: this.owners }, BOUNDS)
    this.fold(decided.events)
    return "refused" in decided ? decided.refused.code : "allowed"
  }
}

describe("an entry that needs consent", () => {
  test("is refused without an owner whose address is verified", () => {
    const world = new World()
    world.owners = []
    expect(world.write("a")).toBe("owner_none")
    world.owners = [standing(1, { verified: false })]
    expect(world.write("a")).toBe("owner_none")
    world.owners = [standing(1, { verified: false }), FIRST]
    expect(world.write("a")).toBe(1)
  })

  test("asks and hears nobody who came later", () => {
    const world = new World()
    const entry = Number(world.write("a"))
    world.owners = [FIRST, later(2, AT + 1, [1])]
    expect(world.fill(entry)).toEqual(["hum_1"])
    expect([world.allow("hum_2"), world.allow("hum_3"), world.allow("hum_1")]).toEqual([
      "not_found",
      "not_found",
      "allowed"
    ])
  })

  test("hears a later owner whom one who may consent has approved, and whose approval alone", () => {
    const world = new World()
    const entry = Number(world.write("a"))
    world.owners = [FIRST, later(2, AT + 1, [1]), later(3, AT + 2, [1, 2], { opinions: [say(2, true)] })]
    expect(world.fill(entry)).toEqual(["hum_1"])
    world.owners = [
      FIRST,
      later(2, AT + 1, [1], { opinions: [say(1, true)] }),
      later(3, AT + 2, [1, 2], { opinions: [say(1, false), say(2, true)] })
    ]
    expect(world.fill(entry)).toEqual(["hum_1", "hum_2", "hum_3"])
  })

  test("hears a later owner after the waiting time, to the millisecond, unless somebody has objected", () => {
    const world = new World()
    const entry = Number(world.write("a"))
    const second = later(2, AT + 1, [1])
    world.owners = [FIRST, second]
    world.at = AT + WAIT_MS
    expect(world.fill(entry)).toEqual(["hum_1"])
    world.at += 1
    expect(world.fill(entry)).toEqual(["hum_1", "hum_2"])
    world.owners = [FIRST, { ...second, opinions: [say(1, false)] }]
    expect(world.fill(entry)).toEqual(["hum_1"])
    expect(world.allow("hum_2")).toBe("not_found")
  })

  test("stays closed to a later owner of whom one of its owners was never notified", () => {
    const world = new World()
    const entry = Number(world.write("a"))
    world.owners = [later(2, AT + 1, [])]
    world.at = AT + 100 * WAIT_MS
    expect(world.fill(entry)).toBe("owner_none")
  })

  test("is heard of its owner's silence also where that owner has left since", () => {
    const world = new World()
    const entry = Number(world.write("a"))
    world.owners = [later(2, AT + 1, [1])]
    expect(world.fill(entry)).toBe("owner_none")
    world.at = AT + 1 + WAIT_MS
    expect(world.fill(entry)).toEqual(["hum_2"])
  })

  test("takes a person who was confirmed again for a later owner: an objection is not washed off", () => {
    const world = new World()
    world.owners = [FIRST, later(2, AT - 1, [1])]
    const entry = Number(world.write("a"))
    expect(world.fill(entry)).toEqual(["hum_1", "hum_2"])
    world.owners = [FIRST, later(2, AT - 1, [1], { opinions: [say(1, false)] })]
    expect(world.fill(entry)).toEqual(["hum_1"])
    world.owners = [FIRST, { ...later(7, AT + 1, [1]), human: "hum_2" }]
    expect(world.fill(entry)).toEqual(["hum_1"])
  })

  test("written again in the same box keeps its first owners; in a new box it has those of the day", () => {
    const world = new World()
    const entry = Number(world.write("a"))
    world.owners = [later(2, AT + 1, [])]
    world.delete(entry)
    expect(world.write("a")).toBe("owner_none")
    expect(world.fill(Number(world.write("b")))).toEqual(["hum_2"])
    world.owners = [FIRST, later(2, AT + 1, [1])]
    expect(world.fill(Number(world.write("a")))).toEqual(["hum_1"])
  })

  test("of an older event has those owners who were confirmed before it was written", () => {
    const old = { type: "vault.consent_required", v: 1, entry: 1, above: null } as const
    expect(Schema.decodeUnknownSync(Event)(old)).toEqual(old)
    const world = new World()
    const entry = Number(world.write("a"))
    world.fold([old])
    world.owners = [FIRST, later(2, AT + 1, [])]
    expect(world.fill(entry)).toEqual(["hum_1"])
    world.owners = [later(2, AT + 1, [])]
    world.at = AT + 100 * WAIT_MS
    expect(world.fill(entry)).toBe("owner_none")
    world.owners = [FIRST, later(2, AT + 1, [1])]
    expect(world.fill(entry)).toEqual(["hum_1", "hum_2"])
  })
})

/** Owners in the order of their confirmation; who was notified and who said what is drawn. */
const owners = fc
  .array(
    fc.record({
      verified: fc.boolean(),
      told: fc.subarray([0, 1, 2, 3, 4]),
      said: fc.array(fc.tuple(fc.nat(4), fc.boolean()), { maxLength: 3 })
    }),
    { maxLength: 5 }
  )
  .map((all) =>
    all.map(({ verified, told, said }, index) =>
      later(
        index,
        AT + index,
        told.filter((one) => one < index),
        { verified, opinions: said.filter(([by]) => by < index).map(([by, approves]) => say(by, approves)) }
      )
    )
  )

test("nobody consents without a verified address, and only those do who are let in by somebody of the entry", () => {
  fc.assert(
    fc.property(owners, fc.subarray([0, 1, 2, 3, 4]), fc.boolean(), (all, written, isLate) => {
      const entryOwners = written.map((one) => ({ sponsorship: one, human: `hum_${one}` }))
      const at = AT + (isLate ? WAIT_MS + 10 : 10)
      const may = consentersOf(entryOwners, all, at, BOUNDS).map(({ human }) => human)
      for (const { human, sponsorship, verified, told, opinions } of all) {
        const isApproved = opinions.some((one) => one.approves && may.includes(one.human))
        const isObjected = opinions.some((one) => !one.approves)
        const wasSilent = isLate && written.every((one) => one === sponsorship || told.humans.includes(`hum_${one}`))
        const isIn = written.includes(sponsorship) || (wasSilent && written.length > 0)
        expect(may.includes(human)).toBe(verified && (isApproved || (isIn && !isObjected)))
      }
      if (written.length === 0) expect(may).toEqual([])
    })
  )
})

test("an owner whose address is verified later consents from then on to what it was confirmed for", () => {
  const entry = { created_at: AT, consent: { above: null, owners: [{ sponsorship: 1, human: "hum_1" }] } }
  expect(consentersNow(entry, [{ ...FIRST, verified: false }], AT, BOUNDS)).toEqual([])
  expect(consentersNow(entry, [FIRST], AT, BOUNDS)).toEqual(["hum_1"])
})
