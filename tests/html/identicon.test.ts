/** The picture of an agent: a function of its key, seen on light and on dark grounds. */
import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { picture, pictureAlone } from "../../edge/kit/identicon.ts"
import { contrast } from "./contrast.ts"

const KEY_BYTES = 32
const ENOUGH_FOR_GRAPHICS = 3
/** Cards and pages, light and dark (edge/kit/style.ts). */
const GROUNDS = ["rgb(255, 255, 255)", "rgb(251, 250, 247)", "rgb(28, 28, 34)", "rgb(21, 21, 25)"]
const FORM =
  /^<svg class="picture" viewBox="0 -0\.5 7 7" width="20" height="20" shape-rendering="crispEdges" aria-hidden="true"><rect y="-0\.5" width="7" height="7" rx="1\.4" fill="#[0-9a-f]{6}"\/>(<path stroke="#[0-9a-f]{6}" d="(M[1-5] [1-5]h[1-5])+"\/>){0,3}<\/svg>$/

const keys = fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES }).map((bytes) => Buffer.from(bytes))
const drawn = (key: Buffer): string => picture(key.toString("base64"), 20).text

const rgb = (hex: string): string =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(", ")})`

/** Cells that a picture draws, by their place. */
const cellsOf = (svg: string): ReadonlySet<string> => {
  const cells = new Set<string>()
  for (const [, tone = "", path = ""] of svg.matchAll(/stroke="([^"]*)" d="([^"]*)"/g))
    for (const [, x, y, width] of path.matchAll(/M(\d) (\d)h(\d)/g))
      for (let step = 0; step < Number(width); step++) cells.add(`${Number(x) + step} ${y} ${tone}`)
  return cells
}

describe("a picture", () => {
  it("is made of numbers and colors alone, and is the same for the same key in each of its forms", () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(drawn(key)).toMatch(FORM)
        expect(drawn(Buffer.from(key))).toBe(drawn(key))
        expect(picture(key.toString("base64url"), 20).text).toBe(drawn(key))
      })
    )
  })

  it("differs where one bit of the key does", () => {
    fc.assert(
      fc.property(keys, fc.nat({ max: KEY_BYTES * 8 - 1 }), (key, bit) => {
        const other = Buffer.from(key)
        other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(drawn(other)).not.toBe(drawn(key))
      })
    )
  })

  it("is of one key among many", () => {
    const many = 5_000
    expect(new Set(Array.from({ length: many }, () => drawn(randomBytes(KEY_BYTES)))).size).toBe(many)
  })

  it("mirrors its left half", () => {
    fc.assert(
      fc.property(keys, (key) => {
        const cells = cellsOf(drawn(key))
        for (const cell of cells) {
          const [x, ...place] = cell.split(" ")
          expect(cells.has([6 - Number(x), ...place].join(" "))).toBe(true)
        }
      })
    )
  })

  it("is seen on every ground, and each of its cells on the tile", () => {
    fc.assert(
      fc.property(keys, (key) => {
        const svg = drawn(key)
        const tile = rgb(/fill="([^"]*)"/.exec(svg)?.[1] ?? "")
        for (const ground of GROUNDS) expect(contrast(tile, [ground])).toBeGreaterThanOrEqual(ENOUGH_FOR_GRAPHICS)
        for (const [, tone = ""] of svg.matchAll(/stroke="([^"]*)"/g))
          expect(contrast(rgb(tone), [tile])).toBeGreaterThanOrEqual(ENOUGH_FOR_GRAPHICS)
      })
    )
  })

  it("is not made of what is no key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect([picture(text, 20).text, pictureAlone(text)]).toEqual(["", null])
      })
    )
    expect(picture(randomBytes(KEY_BYTES + 1).toString("base64"), 20).text).toBe("")
  })
})
