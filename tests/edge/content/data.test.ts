/** `data` taken out of a body as it was written; ranges; what a file may be called and declared to be. */
import { Effect, Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dataIn, ESCAPED_STEP_CHARS } from "../../../edge/post/data.ts"
import { contentTypeOf, filenameOf } from "../../../edge/file/declared.ts"
import { attachment } from "../../../edge/bus/blob.ts"
import { memberOf } from "../../../edge/http/json-member.ts"
import { rangeOf } from "../../../edge/http/range.ts"
import { secretIn } from "../../../schemas/secret/secrets.ts"
import { GROWTH_MAX, growthOf } from "../../support/cost.ts"
import { BODIES } from "../../support/costly/data.ts"
import { newIdentity } from "../../support/identity.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const spanOf = (text: string): string | null => {
  const bytes = Buffer.from(text)
  const found = memberOf(bytes, "data")
  return found === null ? null : bytes.subarray(found.from, found.to).toString()
}

const taken = (text: string, max = 2_000_000) => {
  const result = Effect.runSync(Effect.result(dataIn({ body: Buffer.from(text) }, max)))
  return Result.isFailure(result)
    ? result.failure.refusal
    : { body: Buffer.from(result.success.body).toString(), data: result.success.data }
}

describe("a member of a body", () => {
  it.each([
    ['{"data":1}', "1"],
    [' { "a" : [1,{"data":2}] , "data" : {"x":"}]"} } ', '{"x":"}]"}'],
    ['{"data":"a\\"b","b":1}', '"a\\"b"'],
    ['{"d\\u0061ta":-1.5e3 }', "-1.5e3"],
    ['{"data":1,"data":[2,3]}', "[2,3]"],
    ['{"Data":1}', null],
    ['{"a":{"data":1}}', null],
    ['["data",1]', null],
    ['{"data"}', null],
    ['{"data":}', null],
    ["", null],
    ["{", null],
    ['{"data":"', '"']
  ])("%s", (text, expected) => {
    expect(spanOf(text)).toBe(expected)
  })

  it("is the text between, whatever JSON it is among", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (data, others) => {
        const { data: _data, ...rest } = others
        const text = JSON.stringify({ ...rest, data, z: others }, null, 1)
        expect(JSON.parse(spanOf(text) ?? "")).toEqual(JSON.parse(JSON.stringify(data)))
      })
    )
  })

  it("takes no longer than in proportion to what is there", async () => {
    for (const body of BODIES) expect(await growthOf(body), body.name).toBeLessThan(GROWTH_MAX)
  })
})

describe("data", () => {
  it("keeps its digits, its spaces and its order", () => {
    const json = '{ "b": 12345678901234567890.10, "a": [ 1e400 ], "b": "\\u00e9" }'
    const found = taken(`{"title":"x","data": ${json} ,"tags":[]}`)
    expect(found).toMatchObject({ body: '{"title":"x","data": true ,"tags":[]}' })
    expect("data" in found && found.data?.bytes.toString()).toBe(json)
  })

  it("is taken away by null, and nothing where nothing is said", () => {
    expect(taken('{"data": null}')).toEqual({ body: '{"data": null}', data: null })
    expect(taken('{"title":"x"}')).toEqual({ body: '{"title":"x"}', data: undefined })
  })

  it.each([
    ["max", `{"data":"${"x".repeat(9)}"}`],
    ["depth", `{"data":${"[".repeat(65)}${"]".repeat(65)}}`],
    ["json", '{"data":nul}'],
    ["json", '{"data":[1,]}']
  ])("is refused by the rule %s: %s", (rule, text) => {
    expect(taken(text, rule === "max" ? 10 : 1000)).toMatchObject({
      code: "validation_error",
      details: { field: "data", rule }
    })
  })

  it("may be as long and as deep as it may, and have as many members as fit", () => {
    expect(taken('{"data":"12345678"}', 10)).toHaveProperty("data.bytes.length", 10)
    expect(taken(`{"data":${"[".repeat(64)}${"]".repeat(64)}}`)).toHaveProperty("data.bytes.length", 128)
    expect(taken(`{"data":[${"0,".repeat(500_000)}0]}`)).toHaveProperty("data.bytes.length", 1_000_003)
  })

  const secret = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`
  it.each([
    ["data.a.1", `{"data":{"a":["x","${secret}"]}}`],
    ["data", `{"data":{"${secret}":1}}`],
    ["data.__proto__.k", `{"data":{"__proto__":{"k":"${secret}"}}}`],
    ["data", `{"data":[${"0,".repeat(30_000)}"a\\n${secret}"]}`],
    ["data", `{"data":[${"0,".repeat(30_000)}"${secret.replace("_", "\\u005f")}"]}`]
  ])("has its secrets found, in %s", (field, text) => {
    const found = taken(text)
    const texts = "data" in found ? (found.data?.texts() ?? []) : []
    expect(secretIn(texts, { publicKey: newIdentity().publicKey })).toEqual({ field, kind: "github_token" })
  })
})

describe("data with too many members for a walk", () => {
  const MANY = "0,".repeat(20_000)
  const LENGTH = 160_000
  const stepsOf = (text: string) => {
    const found = taken(`{"data":[${MANY}"${text}"]}`)
    const all = "data" in found ? [...(found.data?.texts() ?? [])] : []
    return { pauses: all.filter((one) => one === null).length, texts: all.filter((one) => one !== null) }
  }

  it.each(["\\u0041", "\\\\", "\\n", "x"])("has its escapes undone in steps, if they are %s", (one) => {
    const { pauses } = stepsOf(one.repeat(LENGTH))
    const length = MANY.length + LENGTH * one.length
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(length / ESCAPED_STEP_CHARS))
    // A step ends earlier by less than one escape.
    expect(pauses).toBeLessThanOrEqual(Math.ceil(length / (ESCAPED_STEP_CHARS - 6)))
  })

  it.each(["\\u0041", "\\\\", "\\\\\\u0042", '\\"u0041', "\\\\u0041", "\\n\\u000a\\t"])(
    "has no escape divided between steps, wherever %s is",
    (one) => {
      for (let shift = 0; shift <= one.length; shift++) {
        const text = "x".repeat(shift) + one.repeat(2 * ESCAPED_STEP_CHARS)
        const { texts } = stepsOf(text)
        expect(texts[0]?.text === `[${MANY}"${JSON.parse(`"${text}"`)}"]`, `shifted by ${shift}`).toBe(true)
      }
    }
  )
})

describe("a range", () => {
  it.each([
    ["bytes=0-0", { from: 0, to: 0 }],
    ["bytes=2-", { from: 2, to: 9 }],
    ["Bytes = 2 - 4", { from: 2, to: 4 }],
    ["bytes=2-99", { from: 2, to: 9 }],
    ["bytes=-3", { from: 7, to: 9 }],
    ["bytes=-99", { from: 0, to: 9 }]
  ])("%s is a part", (header, span) => {
    expect(rangeOf(header, 10)).toEqual({ kind: "part", span })
  })

  it.each(["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=999999999999999-"])("%s begins behind the end", (header) => {
    expect(rangeOf(header, 10)).toEqual({ kind: "beyond" })
  })

  it.each([undefined, "", "bytes", "bytes=", "bytes=-", "bytes=5-1", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b"])(
    "%s is none",
    (header) => {
      expect(rangeOf(header, 10)).toEqual({ kind: "whole" })
    }
  )

  it("lies within the bytes, whatever is asked", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), fc.integer({ min: 1, max: 99 }), (text, one, other, size) => {
        for (const header of [text, `bytes=${one}-${other}`, `bytes=-${one}`, `bytes=${one}-`]) {
          const range = rangeOf(header, size)
          if (range.kind !== "part") continue
          const { from, to } = range.span
          expect([from >= 0, from <= to, to < size]).toEqual([true, true, true])
        }
      })
    )
  })
})

describe("a file's name", () => {
  const named = (name: string | undefined) => Result.isSuccess(Effect.runSync(Effect.result(filenameOf(name, LIMITS))))

  it.each([
    "a",
    "a b.txt",
    "x".repeat(200),
    "😀".repeat(200),
    "résumé.pdf",
    "👨‍👩‍👧.png",
    "..a",
    "-rf",
    "c:d.txt",
    "%2e",
    "a;b"
  ])("may be %s", (name) => {
    expect(named(name)).toBe(true)
  })

  it.each([
    undefined,
    "",
    " ",
    ".",
    "..",
    "a/b",
    "a\\b",
    "a\0b",
    "a\nb",
    "a\u007fb",
    "a\u0085b",
    "a\u2028b",
    "exe.\u202egnp",
    "a\u2066b",
    "a\u200bb",
    "\ufeffa",
    "\ud800",
    "x".repeat(201),
    "😀".repeat(201)
  ])("may not be %j", (name) => {
    expect(named(name)).toBe(false)
  })

  it.each([
    ["a.txt", `attachment; filename="a.txt"; filename*=UTF-8''a.txt`],
    ['a"b\\c.txt', `attachment; filename="a_b_c.txt"; filename*=UTF-8''a%22b%5Cc.txt`],
    ["100%.txt", `attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt`],
    ["naïve (1)'*.txt", `attachment; filename="na_ve (1)'*.txt"; filename*=UTF-8''na%C3%AFve%20%281%29%27%2A.txt`],
    ["😀.png", `attachment; filename="_.png"; filename*=UTF-8''%F0%9F%98%80.png`]
  ])("%s is told so that every reader understands it", (name, header) => {
    expect(attachment(name)).toBe(header)
  })
})

describe("a file's type", () => {
  const typed = (type: string | undefined) => {
    const result = Effect.runSync(Effect.result(contentTypeOf(type, LIMITS)))
    return Result.isSuccess(result) ? result.success : null
  }

  it("is nothing but bytes where nothing is said", () => {
    expect([typed(undefined), typed(""), typed("  ")]).toEqual(
      Array.from({ length: 3 }, () => "application/octet-stream")
    )
  })

  it.each(["text/html", "application/vnd.api+json", 'text/csv; charset="utf-8"', "text/plain;charset=utf-8; x=1"])(
    "is kept as it is: %s",
    (type) => {
      expect(typed(type)).toBe(type)
    }
  )

  it.each(["text", "text/", "/html", "text/html\u00e9", "text/html,text/plain", "a b/c", `text/${"x".repeat(200)}`])(
    "is refused where it is none: %s",
    (type) => {
      expect(typed(type)).toBeNull()
    }
  )
})
