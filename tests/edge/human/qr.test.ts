import fc from "fast-check"
import decodeQR from "qr/decode.js"
import { describe, expect, it } from "vitest"
import { QR_MAX_BYTES, qrCode } from "../../../edge/human/qr.ts"
import { totpUri } from "../../../actors/human/totp.ts"

const PIXELS = 4
const DARK = 0
const LIGHT = 255

const svgOf = (text: string, title = "Scan me"): string => {
  const code = qrCode(text, title)
  if (code === null) throw new Error("The text is too long")
  return code.text
}

/** What a camera sees: the paths that are drawn, one over the other, on a dark page. */
const seen = (svg: string): { readonly width: number; readonly height: number; readonly data: Uint8Array } => {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const width = size * PIXELS
  const data = new Uint8Array(width * width * 4).fill(DARK)
  for (const [, fill, path] of svg.matchAll(/<path fill="([^"]+)" d="([^"]+)"\/>/g)) {
    for (const [, x, y, w, h] of (path ?? "").matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\3z/g)) {
      const ink = fill === "#fff" ? LIGHT : DARK
      for (let row = Number(y) * PIXELS; row < (Number(y) + Number(h)) * PIXELS; row++)
        data.fill(ink, (row * width + Number(x) * PIXELS) * 4, (row * width + (Number(x) + Number(w)) * PIXELS) * 4)
    }
  }
  return { width, height: width, data }
}

describe("a QR code", () => {
  it("says the text, to another implementation that looks at what is drawn", () => {
    const uri = totpUri("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", { issuer: "Hub", address: "ada@example.com" })
    for (const text of [uri, "x", "Grüße 🐎", "<&\"'>", "a".repeat(QR_MAX_BYTES)])
      expect(decodeQR(seen(svgOf(text)))).toBe(text)
  })

  it("does so for whatever text", () => {
    const any = fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 })
    fc.assert(
      fc.property(any, (text) => decodeQR(seen(svgOf(text))) === text),
      { numRuns: 30 }
    )
  })

  it("has white ground, a quiet zone of four modules, and a name for who cannot see it", () => {
    const svg = svgOf("x", 'Scan "this" & that')
    const size = 21 + 2 * 4
    expect(svg).toContain(`viewBox="0 0 ${size} ${size}"`)
    expect(svg).toContain(`<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/>`)
    expect(svg).toContain(' role="img"')
    expect(svg).toContain("<title>Scan &quot;this&quot; &amp; that</title>")
    const { width, data } = seen(svg)
    const isQuiet = (at: number): boolean => data[at * 4] === LIGHT
    for (let n = 0; n < width * 4 * PIXELS; n++) expect(isQuiet(n) && isQuiet(width * width - 1 - n)).toBe(true)
    for (let row = 0; row < width; row++)
      for (let x = 0; x < 4 * PIXELS; x++)
        expect(isQuiet(row * width + x) && isQuiet((row + 1) * width - 1 - x)).toBe(true)
  })

  it("needs nothing that a content policy would keep from it", () => {
    expect(svgOf("<script>alert(1)</script>", "<script>")).not.toMatch(/style|<script|<use|href|on[a-z]+=|url\(/i)
  })

  it("is none for a text that a camera could not read from a screen", () => {
    expect(qrCode("a".repeat(QR_MAX_BYTES + 1), "x")).toBeNull()
    expect(qrCode("ü".repeat(QR_MAX_BYTES / 2 + 1), "x")).toBeNull()
  })
})
