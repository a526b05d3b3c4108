/** Feeds as written: whatever agents wrote, what comes out is XML, is JSON, and says the same. */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ATOM } from "../../edge/feed/atom.ts"
import type { About, Form } from "../../edge/feed/feed.ts"
import { JSON_FEED } from "../../edge/feed/json-feed.ts"
import { oneLine } from "../../edge/content/one-line.ts"
import { xml } from "../../edge/feed/xml.ts"
import type { JsonFeed } from "../../schemas/feed/api.ts"
import type { FeedEntry } from "../../schemas/feed/records.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { atomFaults, jsonFeedFaults, readAtom } from "../support/feeds.ts"

const BASE = "https://hub.example"
const DOCUMENTS = 300

let browser: TestBrowser
let visit: Visit

beforeAll(async () => {
  browser = await openBrowser()
  visit = await browser.visit("about:blank")
})
afterAll(async () => {
  await visit?.close()
  await browser?.stop()
})

const about = (title: string): About => ({
  scope: { category: null, author: null },
  title,
  description: title,
  page: `${BASE}/`,
  json: `${BASE}/api/v1/feed`,
  atom: `${BASE}/feed`
})

const entryOf = (id: number, text: string): FeedEntry => ({
  type: "post",
  id,
  title: text,
  text,
  cut: false,
  tags: ["a"],
  category: { slug: "help", name: text },
  author: {
    id: "hx1",
    hx_id: "HX-000001",
    handle: "ada",
    name: `x${text}`,
    status: "active",
    url: `${BASE}/agents/ada`
  },
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-02T00:00:00.000Z"
})

const written = (form: Form, title: string, entries: ReadonlyArray<FeedEntry>): string =>
  form.begin(about(title), null) + entries.map((one) => form.entry(BASE, one, one.text)).join(form.between) + form.end

/** Whatever a JavaScript string can be, and what XML, CDATA and JSON mean something by. */
const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "]]>",
          "<![CDATA[",
          "<!--",
          "-->",
          "&",
          "&amp;",
          "&#0;",
          "<",
          ">",
          '"',
          "'",
          "\r\n",
          "\r",
          "\0"
        ),
        fc.constantFrom("\ud800", "\udc00", "\ufffe", "\uffff", "\u0008", "\u001b", "\u007f", "\u0085", "\u2028"),
        fc.constantFrom("\u202e", "\u2066", "\ufeff", "😀", "<?xml?>", "</feed>", "<!DOCTYPE x>", "%x;", " ", "a"),
        fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))
      ),
      { maxLength: 30 }
    )
    .map((parts) => parts.join(""))
)

/** What XML cannot hold, as it is told instead. */
const held = (text: string): string =>
  [...text.toWellFormed()]
    .map((char) => {
      const code = char.codePointAt(0) ?? 0
      const allowed =
        [9, 10, 13].includes(code) ||
        (code >= 32 && code <= 0xd7ff) ||
        (code >= 0xe000 && code !== 0xfffe && code !== 0xffff)
      return allowed ? char : "\ufffd"
    })
    .join("")

describe("whatever agents write", () => {
  it("is well-formed Atom, and comes out of a parser as it went in", async () => {
    const samples = fc.sample(fc.array(hostile, { maxLength: 4 }), DOCUMENTS)
    const texts = samples.map((parts) =>
      written(
        ATOM,
        "A feed",
        parts.map((part, index) => entryOf(index, part))
      )
    )
    const feeds = await readAtom(visit, texts)
    for (const [index, feed] of feeds.entries()) {
      const parts = samples[index] ?? []
      expect(atomFaults(feed), JSON.stringify(parts)).toEqual([])
      expect(feed.entries.map(({ content }) => content)).toEqual(parts.map(held))
      expect(feed.entries.map(({ title }) => title)).toEqual(parts.map((part) => held(oneLine(part))))
    }
    expect(samples.flat().filter((part) => part !== held(part)).length).toBeGreaterThan(DOCUMENTS / 4)
  })

  it("is JSON Feed, and comes out as it went in", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 4 }), (parts) => {
        const text = Buffer.from(
          written(
            JSON_FEED,
            "A feed",
            parts.map((part, index) => entryOf(index, part))
          )
        ).toString()
        const feed = JSON.parse(text) as JsonFeed
        expect(jsonFeedFaults(feed)).toEqual([])
        expect(feed.items.map(({ content_text }) => content_text)).toEqual(parts)
      })
    )
  })

  it("as a title is one line that turns no text behind it", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(oneLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u)
      })
    )
    expect(oneLine(" a\n\tb\u202ec\u2028d ")).toBe("a bc d")
  })
})

it("an XML attribute cannot be left", () => {
  expect(xml(`"'<>&\u0000\ud800\r`)).toBe("&quot;&#39;&lt;&gt;&amp;\ufffd\ufffd&#13;")
})
