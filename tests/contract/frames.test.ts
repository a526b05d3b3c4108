/** Frames on the bus: what was packed comes back, and a frame that was cut is refused whole. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Ask,
  askBytes,
  encodeAsk,
  encodeHead,
  inFrames,
  packAsks,
  packReplies,
  replyBytes,
  type ReplyHead,
  unpackAsks,
  unpackReplies
} from "../../schemas/bus/frames.ts"
import { SHARD_COUNT, shardOf } from "../../schemas/subjects.ts"

const number = fc.integer({ min: 1, max: 0xffffffff })
const text = fc.string({ unit: "binary", maxLength: 40 })

const ask: fc.Arbitrary<Ask> = fc.record(
  {
    id: text,
    kind: text,
    actor: text,
    op: text,
    input: fc.jsonValue({ maxDepth: 3 }),
    by: fc.record(
      { key: text, publicKey: text, nonce: text, settled: fc.boolean() },
      { requiredKeys: ["key", "publicKey", "nonce"] }
    ),
    draw: fc.array(text, { maxLength: 3 }),
    whileSuspended: fc.constant(true as const),
    deadline: fc.nat({ max: 9_000_000_000 }),
    trace: text,
    traceparent: text,
    command: text
  },
  { requiredKeys: ["id", "kind", "actor", "op", "input", "deadline"], noNullPrototype: true }
)

const head: fc.Arbitrary<ReplyHead> = fc.record(
  {
    refused: fc.record(
      { code: fc.constantFrom("not_found" as const, "overloaded" as const), message: text },
      { noNullPrototype: true }
    ),
    rate: fc.record({ limit: fc.nat(), remaining: fc.nat(), reset: fc.nat() }, { noNullPrototype: true }),
    notOwner: fc.record({ shard: fc.nat(SHARD_COUNT - 1), owner: fc.option(text) }, { noNullPrototype: true }),
    moved: fc.record({ agent: text }, { noNullPrototype: true })
  },
  { requiredKeys: [], noNullPrototype: true }
)

const asks = fc.array(fc.record({ number, ask }, { noNullPrototype: true }), { maxLength: 6 })
const replies = fc.array(
  fc.record({ number, head, body: fc.uint8Array({ maxLength: 60 }) }, { noNullPrototype: true }),
  { maxLength: 6 }
)

type Parts<A> = ReadonlyArray<A>

/** On the clock of who asks. */
const SENT_AT = 1_000_000
/** On the clock of who is asked, which is an hour ahead. */
const READ_AT = SENT_AT + 3_600_000

const packedAsk = (number: number, ask: string, deadline = SENT_AT) => ({ number, ask, bytes: askBytes(ask), deadline })
const packedAsks = (parts: Parts<{ number: number; ask: Ask }>) =>
  packAsks(
    parts.map((part) => packedAsk(part.number, encodeAsk(part.ask), part.ask.deadline)),
    SENT_AT
  )
const read = (frame: Uint8Array) => unpackAsks(frame, READ_AT)
const packedReplies = (parts: Parts<{ number: number; head: ReplyHead; body: Uint8Array }>) =>
  packReplies(parts.map((part) => ({ ...part, head: encodeHead(part.head) })))

/** JSON cannot tell -0 from 0. */
const plain = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

describe("ask frames", () => {
  it("come back as they were, out of any place of a larger buffer", () => {
    fc.assert(
      fc.property(asks, fc.nat(16), (parts, offset) => {
        const frame = packedAsks(parts)
        const larger = new Uint8Array(frame.length + offset + 5).fill(0xff)
        larger.set(frame, offset)
        const heard = parts.map((part) => ({
          ...part,
          ask: { ...part.ask, deadline: READ_AT + Math.max(0, part.ask.deadline - SENT_AT) }
        }))
        expect(read(larger.subarray(offset, offset + frame.length))).toEqual(plain(heard))
      })
    )
  })

  it("of a release that sends no remaining time keep the deadline that they say", () => {
    const ask: Ask = { id: "a", kind: "agent", actor: "b", op: "agent.me", input: null, deadline: 7 }
    expect(read(Buffer.from(JSON.stringify([[1, ask]])))).toEqual([{ number: 1, ask }])
  })

  it("are refused when cut", () => {
    fc.assert(
      fc.property(asks, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (parts, share) => {
        const frame = packedAsks(parts)
        const at = Math.floor(frame.length * share)
        expect(() => unpackAsks(frame.subarray(0, at))).toThrow(SyntaxError)
      })
    )
  })

  it("are refused whole when one part is no JSON", () => {
    const good = packedAsk(
      1,
      encodeAsk({ id: "a", kind: "agent", actor: "b", op: "agent.me", input: null, deadline: 1 })
    )
    expect(unpackAsks(packAsks([good]))).toHaveLength(1)
    for (const bad of ["{", "", "]"]) expect(() => unpackAsks(packAsks([good, packedAsk(2, bad)]))).toThrow(SyntaxError)
  })

  it("are refused when they are JSON of another shape", () => {
    for (const text of ["{}", "null", "1", "[1]", '[{"id":"a"}]'])
      expect(() => unpackAsks(Buffer.from(text))).toThrow(SyntaxError)
  })
})

describe("reply frames", () => {
  it("come back as they were, bodies byte for byte", () => {
    fc.assert(
      fc.property(replies, (parts) => {
        const back = unpackReplies(packedReplies(parts))
        expect(back.map((part) => ({ ...part, body: [...part.body] }))).toEqual(
          parts.map((part) => ({ ...plain(part), body: [...part.body] }))
        )
      })
    )
  })

  it("are refused when cut", () => {
    fc.assert(
      fc.property(replies, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (parts, share) => {
        const frame = packedReplies(parts)
        const at = Math.floor(frame.length * share)
        expect(() => unpackReplies(frame.subarray(0, at))).toThrow(/ends/)
      })
    )
  })
})

describe("what gathered for one frame", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 30 })

  it("is split where it grows too large, in its order, and no sooner", () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 120 }), (parts, max) => {
        const frames = inFrames(parts, (size) => size, max)
        const sum = (frame: ReadonlyArray<number>) => frame.reduce((total, size) => total + size, 0)
        expect(frames.flat()).toEqual(parts)
        for (const [index, frame] of frames.entries()) {
          expect(sum(frame) <= max || frame.length === 1).toBe(true)
          const next = frames[index + 1]?.[0]
          if (next !== undefined) expect(sum(frame) + next).toBeGreaterThan(max)
        }
      })
    )
  })

  it("takes no more bytes than it is counted as", () => {
    fc.assert(
      fc.property(asks, replies, (asked, replied) => {
        const packed = asked.map((part) => packedAsk(part.number, encodeAsk(part.ask)))
        expect(packAsks(packed).length).toBeLessThanOrEqual(packed.reduce((sum, part) => sum + part.bytes, 2))
        const answers = replied.map((part) => ({ ...part, head: encodeHead(part.head) }))
        expect(packReplies(answers).length).toBeLessThanOrEqual(
          answers.reduce((sum, part) => sum + replyBytes(part), 6)
        )
      })
    )
  })
})

describe("shards", () => {
  const COUNT = 10_000
  const EVEN = COUNT / SHARD_COUNT
  /** Five standard deviations of a fair draw. */
  const SLACK = 0.4

  const loads = (ids: ReadonlyArray<string>): ReadonlyArray<number> => {
    const counts = Array.from({ length: SHARD_COUNT }, () => 0)
    for (const id of ids) counts[shardOf(id)] = (counts[shardOf(id)] ?? 0) + 1
    return counts
  }

  /** The same every time: a test of chance that fails by chance would teach nobody. */
  const hex = (seed: number, length: number): string => {
    let state = seed + 1
    return Array.from({ length }, () => {
      state = (Math.imul(state, 0x6d2b79f5) + 0x9e3779b9) >>> 0
      return (((state ^ (state >>> 15)) >>> 7) & 15).toString(16)
    }).join("")
  }

  it.each<[string, (index: number) => string]>([
    ["hub ids", (index) => `hx${hex(index, 24)}`],
    ["counted handles", (index) => `agent-${index}`],
    ["handles of a few letters", (index) => index.toString(36).padStart(3, "0")],
    ["challenges", (index) => hex(index * 7 + 3, 32)],
    ["buckets of rate limits", (index) => `ip.${hex(index * 13 + 5, 16)}`]
  ])("are used evenly by %s", (_name, idOf) => {
    const ids = Array.from({ length: COUNT }, (_, index) => idOf(index))
    expect(new Set(ids).size).toBe(COUNT)
    const counts = loads(ids)
    expect(Math.min(...counts)).toBeGreaterThan(EVEN * (1 - SLACK))
    expect(Math.max(...counts)).toBeLessThan(EVEN * (1 + SLACK))
  })

  it("stay where they are: moving one would part an actor from its owner", () => {
    expect(["a", "ada", "hx0123456789abcdef01234567", "projector"].map(shardOf)).toEqual([15, 42, 17, 54])
  })
})
