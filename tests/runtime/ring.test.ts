/** The last lines of a compartment, over restarts of who keeps them. */
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { SEGMENT_MAX_BYTES } from "../../actors/runtime/host/journal.ts"
import { Ring } from "../../actors/runtime/host/ring.ts"
import type { Line } from "../../actors/runtime/host/types.ts"
import { testFolder } from "../harness/index.ts"

const LIMIT = 20
const ALL = { sinceId: null, limit: LIMIT, stream: null, q: null } as const

let folder: string
let opened: Array<Ring> = []

const open = (limit = LIMIT): Ring => {
  const ring = Ring.open(folder, limit)
  opened.push(ring)
  return ring
}

beforeEach(async () => {
  folder = await testFolder("ring")
})

afterEach(() => {
  for (const ring of opened) ring.close()
  opened = []
  rmSync(folder, { recursive: true, force: true })
})

const kept = (ring: Ring): ReadonlyArray<Line> => ring.read(ALL).lines
const texts = (ring: Ring): ReadonlyArray<string> => kept(ring).map(({ line }) => line)
const segments = (): ReadonlyArray<string> =>
  readdirSync(folder).toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))

type Step = readonly ["stdout" | "stderr", string] | "say" | "end" | "restart"

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom("stdout" as const, "stderr" as const), fc.string({ unit: "grapheme", maxLength: 30 })),
  fc.tuple(fc.constantFrom("stdout" as const, "stderr" as const), fc.constantFrom("a\nb\n", "half", "\n".repeat(50))),
  fc.constantFrom("say" as const, "end" as const, "restart" as const)
)

/** `restart` opens it again on what is there, as after a kill: nothing is closed before. */
function take(ring: Ring, one: Step): Ring {
  if (one === "restart") return open()
  if (one === "say") ring.say("ours")
  else if (one === "end") ring.end()
  else ring.append(one[0], Buffer.from(one[1]))
  return ring
}

describe("the ring", () => {
  it("keeps the last lines, with ids that ascend without gaps, as if it had never been killed", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        rmSync(folder, { recursive: true, force: true })
        let ring = open()
        for (const one of steps) ring = take(ring, one)
        const lived = kept(ring)
        rmSync(folder, { recursive: true, force: true })
        let never = open()
        for (const one of steps) if (one !== "restart") never = take(never, one)
        const strip = (lines: ReadonlyArray<Line>) => lines.map(({ id, stream, line }) => [id, stream, line])
        expect(strip(lived)).toEqual(strip(kept(never)))
        expect(lived.map(({ id }) => id)).toEqual(lived.map((_, index) => (lived[0]?.id ?? 0) + index))
        expect(lived.at(-1)?.id ?? 0).toBe(ring.lastId)
        for (const one of opened.splice(0)) one.close()
      }),
      { numRuns: 100 }
    )
  })

  it("loses of a journal that is torn at any byte what was behind, and goes on", () => {
    const ring = open()
    const chunks = ["one\ntwo\n", "th", "ree\nfour\n", "fi"]
    for (const chunk of chunks) ring.append("stdout", Buffer.from(chunk))
    ring.say("ours")
    const [name = ""] = segments()
    const whole = readFileSync(join(folder, name))
    const expected = ["one", "two", "three", "four", "ours"]
    let most = 0
    for (let at = 0; at <= whole.length; at++) {
      writeFileSync(join(folder, name), whole.subarray(0, at))
      const torn = open()
      const lines = texts(torn)
      expect(lines).toEqual(expected.slice(0, lines.length))
      expect(lines.length).toBeGreaterThanOrEqual(most)
      most = lines.length
      torn.say("after")
      const again = open()
      expect(texts(again)).toEqual([...lines, "after"])
      expect(again.lastId).toBe(lines.length + 1)
      again.close()
      torn.close()
      for (const left of segments()) rmSync(join(folder, left))
    }
    expect(most).toBe(expected.length)
  })

  it("takes a torn tail that is filled with something else for torn", () => {
    const ring = open()
    ring.append("stdout", Buffer.from("one\n"))
    const [name = ""] = segments()
    const { size } = statSync(join(folder, name))
    for (const filled of [Buffer.alloc(100), Buffer.alloc(100, 0xff), Buffer.from("\u0001whatever")]) {
      appendFileSync(join(folder, name), filled)
      expect(texts(open())).toEqual(["one"])
      expect(statSync(join(folder, name)).size).toBe(size)
    }
  })

  it("keeps its journal bounded, and what it keeps of lines in it", () => {
    const ring = open()
    const chunk = Buffer.alloc(60_000, "x\n")
    for (let done = 0; done < 5 * SEGMENT_MAX_BYTES; done += chunk.length) ring.append("stdout", chunk)
    const bytes = segments().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    expect(bytes).toBeLessThan(3 * SEGMENT_MAX_BYTES)
    const again = open()
    expect(kept(again)).toEqual(kept(ring))
    expect(kept(again)).toHaveLength(LIMIT)
  })

  it("keeps as many segments as its lines need, where they are long", () => {
    const ring = open(400)
    const line = (n: number): string => `${n} `.padEnd(8000, "x")
    for (let n = 0; n < 1000; n++) ring.append("stderr", Buffer.from(`${line(n)}\n`))
    const again = open(400)
    const { lines } = again.read({ ...ALL, limit: 400 })
    expect(lines.map((one) => one.line)).toEqual(Array.from({ length: 400 }, (_, at) => line(600 + at)))
    expect(segments().length).toBeLessThan(7)
  })

  it("gives no id twice where a segment in the middle has lost its end", () => {
    const ring = open(400)
    for (let n = 0; n < 400; n++) ring.append("stdout", Buffer.from(`${n} `.padEnd(8000, "x").concat("\n")))
    const before = ring.lastId
    const [first = "", second] = segments()
    expect(second).toBeDefined()
    truncateSync(join(folder, first), 5000)
    const again = open(400)
    expect(again.lastId).toBe(before)
    const ids = again.read({ ...ALL, limit: 400 }).lines.map(({ id }) => id)
    expect(ids).toEqual(ids.map((_, index) => before - ids.length + 1 + index))
  })

  it("begins anew where a segment was begun and not more", () => {
    const ring = open()
    ring.append("stdout", Buffer.from("one\n"))
    writeFileSync(join(folder, "2.log"), "")
    const again = open()
    again.append("stdout", Buffer.from("two\n"))
    expect(texts(open())).toEqual(["one", "two"])
  })

  it("tells what is asked for: after an id, of a stream, with a text; and that something is gone", () => {
    const ring = open()
    for (let n = 1; n <= LIMIT + 5; n++) ring.append(n % 2 === 0 ? "stdout" : "stderr", Buffer.from(`Line ${n}\n`))
    expect(ring.read({ ...ALL, limit: 2 }).lines.map(({ id }) => id)).toEqual([24, 25])
    const page = ring.read({ ...ALL, sinceId: 2, limit: 3 })
    expect(page).toMatchObject({ truncated: true, more: true, lastId: 8 })
    expect(page.lines.map(({ id }) => id)).toEqual([6, 7, 8])
    expect(ring.read({ ...ALL, sinceId: 5 }).truncated).toBe(false)
    expect(ring.read({ ...ALL, sinceId: 25 })).toEqual({ lines: [], truncated: false, more: false, lastId: 25 })
    expect(ring.read({ ...ALL, stream: "stdout" }).lines.every(({ id }) => id % 2 === 0)).toBe(true)
    expect(ring.read({ ...ALL, q: "line 7" }).lines.map(({ id }) => id)).toEqual([7])
    expect(ring.read({ ...ALL, sinceId: 5, q: "none" })).toMatchObject({ lines: [], lastId: 25 })
  })

  it("lets those who ask wait for what they ask for, and no longer than they want", async () => {
    const ring = open()
    const waiting = ring.wait({ ...ALL, sinceId: 0, q: "yes", waitMs: 60_000 })
    ring.append("stdout", Buffer.from("no\n"))
    ring.append("stdout", Buffer.from("yes\n"))
    expect((await waiting).lines.map(({ line }) => line)).toEqual(["yes"])
    expect((await ring.wait({ ...ALL, sinceId: 2, waitMs: 30 })).lines).toEqual([])
  })

  it("answers those who wait when it is closed", async () => {
    const ring = open()
    const waiting = ring.wait({ ...ALL, sinceId: 0, waitMs: 3_600_000 })
    ring.close()
    expect((await waiting).lines).toEqual([])
  })

  it("makes one line of what is said, and ends what a program has left open", () => {
    const ring = open()
    ring.append("stderr", Buffer.from("open"))
    ring.end()
    ring.end()
    ring.say("two\nlines")
    expect(kept(ring).map(({ stream, line }) => [stream, line])).toEqual([
      ["stderr", "open"],
      ["system", "two lines"]
    ])
  })

  it("keeps lines in memory where the disk takes none, and tells it once", () => {
    const notes: Array<string> = []
    const ring = Ring.open(folder, LIMIT, (line) => notes.push(line))
    opened.push(ring)
    rmSync(folder, { recursive: true })
    for (const text of ["one\n", "two\n"]) ring.append("stdout", Buffer.from(text))
    expect(texts(ring)).toEqual(["one", "two"])
    expect(notes).toHaveLength(1)
  })
})
