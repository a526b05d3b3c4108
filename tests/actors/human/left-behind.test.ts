/** The part of a deleted account that names agents: sealed for the address, opened for the next account (contract 6, 20, 22). */
import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { addressSealer } from "../../../actors/address/hash.ts"
import { joined, NOTHING_LEFT, openLeft, refusedUntil, sealLeft } from "../../../actors/human/left-behind.ts"

const seed = randomBytes(32)
const [MADE, REFUSED] = ["hx1".padEnd(26, "a"), "hx2".padEnd(26, "b")] as const
const LEFT = { made: [MADE], refused: [{ agent: REFUSED, until: 7 }] }

test("it opens for the address that it was sealed for, and shows nothing of it", () => {
  const sealed = sealLeft(addressSealer(seed)("ada@example.com"), "hash", LEFT)
  for (const id of [MADE, REFUSED]) expect(sealed).not.toContain(id)
  expect(openLeft(addressSealer(seed)("ada@example.com"), "hash", sealed)).toEqual(LEFT)
  for (const [of, email] of [
    ["hash", "bob@example.com"],
    ["another", "ada@example.com"]
  ] as const)
    expect(() => openLeft(addressSealer(seed)(email), of, sealed), email).toThrow()
  expect(() => openLeft(addressSealer(randomBytes(32))("ada@example.com"), "hash", sealed)).toThrow()
})

test("of an account that leaves nothing behind nothing is kept", () => {
  const sealer = addressSealer(seed)("ada@example.com")
  expect(sealLeft(sealer, "hash", NOTHING_LEFT)).toBeUndefined()
  expect(openLeft(sealer, "hash", undefined)).toEqual(NOTHING_LEFT)
})

test("of several accounts it is one, bounded, and the latest refusal of an agent holds", () => {
  const refused = Array.from({ length: 300 }, (_, until) => ({ agent: `hx${until}`, until }))
  const all = joined(LEFT, { made: [MADE, "hx3"], refused: [...refused, { agent: "hx299", until: 900 }] })
  expect(all.made).toEqual([MADE, "hx3"])
  expect(all.refused).toHaveLength(200)
  expect(refusedUntil(all, "hx299", true)).toBe(900)
  expect(refusedUntil(all, REFUSED, true)).toBe(0)
})

test("a refusal of somebody who only named the address keeps nobody away who has it", () => {
  const left = { made: [], refused: [{ agent: REFUSED, until: 7, unproven: true as const }] }
  expect([refusedUntil(left, REFUSED, false), refusedUntil(left, REFUSED, true)]).toEqual([7, 0])
})
