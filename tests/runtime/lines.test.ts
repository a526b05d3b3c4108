/** Lines out of bytes: whatever a program writes, and however it is cut into chunks. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { LINE_MAX_BYTES, LineSplitter } from "../../actors/runtime/host/lines.ts"

const ALL = Number.MAX_SAFE_INTEGER

function linesOf(chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<string> {
  const splitter = new LineSplitter()
  const split = chunks.flatMap((chunk) => splitter.split(chunk, ALL).lines)
  return [...split, ...splitter.flush().lines]
}

const ofText = (text: string): ReadonlyArray<string> => linesOf([Buffer.from(text)])

/** Bytes that are long lines, short lines, text, no text. */
const someBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: "binary", maxLength: 40 }).map((text) => Buffer.from(text)),
      fc.constantFrom(
        Buffer.from("\n"),
        Buffer.from("\r\n"),
        Buffer.from("é€😀".repeat(3000)),
        Buffer.alloc(9000, 0xff)
      )
    ),
    { maxLength: 12 }
  )
  .map((parts) => Buffer.concat(parts))

describe("lines", () => {
  it("end at a newline, with or without a return before it; the last one may be open", () => {
    expect(ofText("one\ntwo\r\n\nfour")).toEqual(["one", "two", "", "four"])
    expect(ofText("")).toEqual([])
  })

  it("are not cut at what is exactly as long as a line may be", () => {
    const full = "x".repeat(LINE_MAX_BYTES)
    expect(ofText(`${full}\nend\n`)).toEqual([full, "end"])
    expect(ofText(`${full}x\nend\n`)).toEqual([full, "x", "end"])
  })

  it.each(["é", "€", "😀"])("that are too long are cut between two characters (%s)", (character) => {
    for (let before = 0; before < 4; before++) {
      const text = "x".repeat(before) + character.repeat(LINE_MAX_BYTES)
      const lines = ofText(text)
      expect(lines.join("")).toBe(text)
      for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LINE_MAX_BYTES)
    }
  })

  it("keep what a terminal would obey as what it is, and show what is no text as such", () => {
    expect(ofText("\u001b[31mred\u0007\u0000\ta\rb\n")).toEqual(["\u001b[31mred\u0007\u0000\ta\rb"])
    expect(linesOf([Buffer.from([0x61, 0xff, 0xc3, 0x0a, 0xf0, 0x9f, 0x0a])])).toEqual(["a\ufffd\ufffd", "\ufffd"])
  })

  it("are the same however the bytes were cut, bounded, and counted where they are not wanted", () => {
    fc.assert(
      fc.property(someBytes, fc.array(fc.nat(), { maxLength: 8 }), fc.nat({ max: 5 }), (bytes, cuts, keep) => {
        const whole = linesOf([bytes])
        const at = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b)
        const chunks = [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length))
        expect(linesOf(chunks)).toEqual(whole)
        for (const line of whole) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LINE_MAX_BYTES)
        const splitter = new LineSplitter()
        const { count, lines } = splitter.split(bytes, keep)
        expect(splitter.pending.length).toBeLessThanOrEqual(LINE_MAX_BYTES)
        expect(count + splitter.flush().count).toBe(whole.length)
        expect(lines).toEqual(keep === 0 ? [] : whole.slice(0, count).slice(-keep))
      }),
      { numRuns: 300 }
    )
  })

  it("of text come back as they were written", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 100 })), (given) => {
        const lines = given.map((line) => line.replaceAll(/[\r\n]/g, ""))
        expect(ofText(lines.map((line) => `${line}\n`).join(""))).toEqual(lines)
      })
    )
  })
})
