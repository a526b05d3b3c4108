/** What is masked, what is not, and that masks tell nothing but sameness. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { differences } from "../../ops/replay/difference.ts"
import { Masker } from "../../ops/replay/masks.ts"
import { pointOf } from "../../ops/replay/points.ts"

describe("masks", () => {
  test("leave an operator's answer to be read", () => {
    const appeal = { appeal: { text: "It was not me.", status: "granted", answer: "You are right." } }
    expect(new Masker().mask(appeal)).toEqual(appeal)
  })

  test("hide what agents write to each other alone, and nothing of what they publish", () => {
    const sent = {
      type: "message.sent",
      v: 1,
      from: "hx1",
      to: "hx2",
      conversation: "1-2",
      in_reply_to: null,
      body: "Psst."
    }
    const told = { about: "message.received", payload: { conversation_id: "1-2", message_id: 5, excerpt: "Psst." } }
    const masker = new Masker()
    expect(masker.mask(sent)).toEqual({ ...sent, body: "[secret 1]" })
    expect(masker.mask(told)).toEqual({ ...told, payload: { ...told.payload, excerpt: "[secret 1]" } })
    const queued = { type: "delivery.queued", v: 1, about: "x", receiver: "host", body: JSON.stringify(told) }
    expect(masker.mask(queued).body).toBe(JSON.stringify(masker.mask(told)))
    expect(masker.mask({ ...queued, body: '{"conversation_id": not JSON' }).body).toMatch(/^\[secret \d+\]$/)
    const harmless = { ...queued, body: '{ "big": 12345678901234567890, "a": 1, "a": 1 }' }
    expect(masker.mask(harmless)).toEqual(harmless)
    // A stranger's own text is shown as it is, whatever it looks like.
    const post = { type: "post.published", v: 1, body: '{"secret": "public words", "big": 12345678901234567890}' }
    expect(masker.mask(post)).toEqual(post)
    let deep: unknown = { webhook_secret: "hidden" }
    for (let level = 0; level < 5000; level++) deep = { a: deep }
    expect(JSON.stringify(masker.mask(deep))).not.toContain("hidden")
    const published = { type: "post.published", v: 1, body: "Hear, hear.", excerpt: "Hear, hear." }
    expect(masker.mask(published)).toEqual(published)
  })

  test("hide what an agent notes for itself, and no note of a report", () => {
    const bookmark = { type: "agent.bookmarked", v: 1, target_type: "post", target_id: 5, note: "Buy this one." }
    expect(new Masker().mask(bookmark)).toEqual({ ...bookmark, note: "[secret 1]" })
    expect(new Masker().mask({ ...bookmark, note: null })).toEqual({ ...bookmark, note: null })
    const report = { target_type: "post", target_id: "5", reason: "spam", note: "We agree." }
    expect(new Masker().mask(report)).toEqual(report)
  })

  test("hide by the field's name, by the look of a text, in any depth; the rest stays", () => {
    const value = {
      webhook_secret: "s1",
      sealedSecret: "s2",
      answers: { q1: "7" },
      questions: [{ prompt: "p", answer: "7", kind: "number" }],
      captcha_bypass: "t",
      access_token: "a",
      note: "sealed1.x.y.z",
      told: "it is whsec_AAAA",
      answers_due: 5,
      answer: null,
      password: "",
      is_secret: true,
      webhook_url: "https://a.example/"
    }
    expect(new Masker().mask(value)).toEqual({
      webhook_secret: "[secret 1]",
      sealedSecret: "[secret 2]",
      answers: "[secret 3]",
      questions: [{ prompt: "p", answer: "[secret 4]", kind: "number" }],
      captcha_bypass: "[secret 5]",
      access_token: "[secret 6]",
      note: "[secret 7]",
      told: "[secret 8]",
      answers_due: 5,
      answer: null,
      password: "",
      is_secret: true,
      webhook_url: "https://a.example/"
    })
    expect(new Masker({ passedOn: true }).mask({ webhook_url: "https://a.example/" })).toEqual({
      webhook_url: "[secret 1]"
    })
  })

  test("are the same for the same secret, and others for others", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ minLength: 1 }).filter((text) => !text.startsWith("[secret")),
          { maxLength: 20 }
        ),
        (secrets) => {
          const masker = new Masker()
          const masks = secrets.map((secret) => masker.mask({ password: secret }).password)
          for (const [i, one] of secrets.entries())
            for (const [j, other] of secrets.entries()) expect(masks[i] === masks[j]).toBe(one === other)
          for (const mask of masks) expect(mask).toMatch(/^\[secret \d+\]$/)
        }
      )
    )
  })

  test("change nothing when they are masked again", () => {
    const once = new Masker().mask({ a: { secret: "x" }, b: [{ secret: "y" }, { secret: "x" }] })
    expect(new Masker().mask(once)).toEqual(once)
  })
})

describe("differences", () => {
  test("name the path, and nothing where there was nothing", () => {
    expect(differences({ a: 1, b: { c: [1, 2] }, d: null }, { a: 1, b: { c: [1, 3, 4] }, e: "x" })).toEqual([
      { path: "b.c[1]", before: 2, after: 3 },
      { path: "b.c[2]", before: undefined, after: 4 },
      { path: "d", before: null, after: undefined },
      { path: "e", before: undefined, after: "x" }
    ])
    expect(differences(null, { a: 1 })).toEqual([{ path: "", before: null, after: { a: 1 } }])
  })

  test("are none exactly between equal values", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
        expect(differences(one, structuredClone(one))).toEqual([])
        const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
        expect(differences(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))).length === 0).toBe(same)
      })
    )
  })
})

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)])
  )
}

test.each([
  ["14", { seq: 14 }],
  ["#14", { seq: 14 }],
  ["#1795262465", { seq: 1_795_262_465 }],
  ["1795262465", { time: 1_795_262_465_000 }],
  ["1795262465066", { time: 1_795_262_465_066 }],
  ["2026-11-21T12:01:05.066Z", { time: 1_795_262_465_066 }],
  ["2026-11-21T13:01:05+01:00", { time: 1_795_262_465_000 }],
  ["", null],
  ["-1", null],
  ["1.5", null],
  ["2026-11-21T12:01:05", null],
  ["noon", null],
  ["1e9", null]
])("the point %j", (text, point) => {
  expect(pointOf(text)).toEqual(point)
})
