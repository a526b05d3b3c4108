/** Messages that strangers wrote, read within bounds: by example, and mutated (spec 2.9; contract 20). */
import fc from "fast-check"
import { Effect, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ParsedMail } from "../../../actors/mail/parse/parsed.ts"
import { clientOf, openReaders, type Readers } from "../../../actors/mail/parse/readers.ts"
import { cutTo } from "../../../actors/mail/parse/cut.ts"
import { type ReadBounds, readMail, unread } from "../../../actors/mail/parse/read.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { isStorable, SINGLE_LINE } from "../../../schemas/plain-text.ts"
import { EXPANDING, wideTable } from "../../support/expanding.ts"
import { deliveredMessages } from "./messages.ts"

const BOUNDS: ReadBounds & typeof LIMITS.service.mail = { ...LIMITS.limits.email, ...LIMITS.service.mail }
const RUNS = 20_000

const read = (raw: string | Buffer): Promise<ParsedMail> => readMail(Buffer.from(raw), BOUNDS)

/** What must hold of whatever was read. */
const assertWhole = (mail: ParsedMail): void => {
  const texts = [mail.text, mail.html ?? "", mail.from.name, mail.from.address, ...mail.to, ...mail.cc, ...mail.follows]
  for (const text of texts) expect(isStorable(text)).toBe(true)
  for (const text of [
    mail.subject,
    mail.from.name,
    mail.from.address,
    ...mail.attachments.map((one) => one.filename ?? "")
  ])
    expect(SINGLE_LINE.test(text)).toBe(true)
  expect(Buffer.byteLength(mail.text)).toBeLessThanOrEqual(BOUNDS.body_max_bytes)
  expect(Buffer.byteLength(mail.html ?? "")).toBeLessThanOrEqual(BOUNDS.body_max_bytes)
  expect(mail.attachments.length).toBeLessThanOrEqual(BOUNDS.attachments_kept_max)
  for (const { filename, bytes } of mail.attachments) {
    expect(/[/\\]/.test(filename ?? "")).toBe(false)
    expect(bytes.length).toBeLessThanOrEqual(BOUNDS.attachment_max_bytes)
  }
}

describe("mutated", () => {
  const messages = deliveredMessages.map((text) => Buffer.from(text))
  /** A piece of one message put into, over or instead of a piece of another; or bytes of chance. */
  const mutation = fc.record({
    what: fc.constantFrom("insert", "replace", "remove", "repeat"),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 0, max: 400 }),
    from: fc.integer({ min: 0, max: messages.length - 1 }),
    bytes: fc.option(fc.uint8Array({ maxLength: 40 }), { freq: 2 })
  })
  const mutated = fc
    .tuple(fc.integer({ min: 0, max: messages.length - 1 }), fc.array(mutation, { minLength: 1, maxLength: 6 }))
    .map(([which, mutations]) => {
      let raw = messages[which] ?? Buffer.alloc(0)
      for (const { what, at, length, from, bytes } of mutations) {
        const begin = Math.floor(at * raw.length)
        const other = messages[from] ?? raw
        const piece = bytes ?? other.subarray(Math.floor(at * other.length), Math.floor(at * other.length) + length)
        const kept = what === "insert" ? begin : begin + length
        const put =
          what === "remove" ? Buffer.alloc(0) : what === "repeat" ? raw.subarray(begin, begin + length) : piece
        raw = Buffer.concat([
          raw.subarray(0, begin),
          put,
          what === "repeat" ? put : Buffer.alloc(0),
          raw.subarray(kept)
        ])
      }
      return raw
    })

  test("a message is read, or is told to be none; whatever comes of it can be kept", async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async (raw) => {
        assertWhole(await readMail(raw, BOUNDS).catch(() => unread(raw, BOUNDS)))
      }),
      { numRuns: RUNS }
    )
  })

  test("text is cut between characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 0, max: 80 }), (text, max) => {
        const { text: kept, cut } = cutTo(text.toWellFormed(), max)
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(max)
        expect(text.toWellFormed().startsWith(kept)).toBe(true)
        expect(cut).toBe(Buffer.byteLength(text.toWellFormed()) > max)
      })
    )
  })
})

describe("read", () => {
  test("a name with controls, and a subject over several lines, are one line each", async () => {
    const mail = await read("From: =?utf-8?q?A=0D=0AB_x=E2=80=AE?= <A@Example.COM>\r\nSubject: a\r\n b\r\n\r\nx")
    expect(mail).toMatchObject({ from: { address: "a@example.com", name: "A B x" }, subject: "a b" })
  })

  test("addresses of other scripts, and senders that are none", async () => {
    expect((await read("From: <post@bücher.example>\r\n\r\nx")).from.address).toBe("post@xn--bcher-kva.example")
    expect((await read("From: nobody\r\n\r\nx")).from.address).toBe("")
    expect((await read("Subject: x\r\n\r\nx")).from).toEqual({ address: "", name: "" })
  })

  test("text comes of HTML where there is no other, and of it alone what is seen", async () => {
    const mail = await read(
      "Content-Type: text/html\r\n\r\n<style>p{}</style><h1>Hello</h1><p>one<br>two <a href='https://x.example'>three</a></p>"
    )
    expect(mail.text).toContain("Hello")
    expect(mail.text).toContain("one\ntwo three")
    expect(mail.text).not.toContain("p{}")
  })

  test.each([
    "style='display:none'",
    "hidden",
    "style='font-size:0'",
    "style='visibility: hidden'",
    "style='opacity:0.001'",
    "style='position:absolute;left:-9999px'",
    "style='max-height:0;overflow:hidden'",
    "class=x"
  ])("text of HTML leaves out what is hidden by %s", async (how) => {
    const css = "<style>.x{display:none}</style>"
    const hidden = `un<b>seen</b> &amp;&#65;&copy; <a href="https://x.example">link</a>`
    const mail = await read(
      `Content-Type: text/html\r\n\r\n${css}<p>one &amp; two</p><div ${how}><p>${hidden}</p></div><span ${how}>${hidden}</span><p>three &lt; four</p>`
    )
    expect(mail.text.split(/\s*\n\s*/).filter((line) => line !== "")).toEqual(["one & two", "three < four"])
    expect(mail.html).toContain("seen")
  })

  test("text of HTML keeps what a reader may open, and what a picture behind it may show", async () => {
    const html =
      "<details><summary>More</summary><p>folded</p></details><p style='color:#fff'>white</p><div style='font-size:0'><p style='font-size:14px'>sized</p></div>"
    const { text } = await read(`Content-Type: text/html\r\n\r\n${html}`)
    for (const word of ["More", "folded", "white", "sized"]) expect(text).toContain(word)
  })

  test("what answers what", async () => {
    const mail = await read("Message-ID: <c@x>\r\nIn-Reply-To: <b@x>\r\nReferences: <a@x> <b@x>\r\n\r\nx")
    expect(mail).toMatchObject({ messageId: "c@x", follows: ["b@x", "a@x"] })
  })

  test("text and HTML over their bounds are cut, and it is told", async () => {
    const mail = await read(`Content-Type: text/plain\r\n\r\n${"ä".repeat(300_000)}`)
    expect([Buffer.byteLength(mail.text), mail.truncated]).toEqual([BOUNDS.body_max_bytes, true])
  })

  test("of attachments so many are kept, and the others counted", async () => {
    const part = "--b\r\nContent-Type: text/x-odd; name=a.txt\r\nContent-Disposition: attachment\r\n\r\nx\r\n"
    const mail = await read(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(13)}--b--\r\n`)
    expect([mail.attachments.length, mail.attachments_dropped, mail.truncated]).toEqual([10, 3, true])
  })

  test.each(["../../etc/passwd", "..\\..\\win.ini", "C:\\x\\y.txt", "/abs/z", "..", "."])(
    "the name %j has no path",
    async (name) => {
      const mail = await read(
        `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\nx\r\n--b--\r\n`
      )
      expect(mail.attachments[0]?.filename ?? "none").toMatch(/^[^/\\]+$/)
      expect(mail.attachments[0]?.filename).not.toBe("..")
    }
  )
})

describe("a table", () => {
  const textOf = async (table: string) =>
    (await read(`Content-Type: text/html\r\n\r\n<table>${table}</table>`)).text.split(/\n+/).map((row) => row.trim())

  test("is drawn as one, however much room its cells ask for", async () => {
    const rows = "<tr><td>a</td><td>b</td></tr><tr><td colspan=2>c</td></tr>"
    expect(await textOf(rows)).toEqual(["a   b", "c"])
    const wide = '<tr><td colspan=1000000 rowspan="1e9">a</td><td colspan="-1">b</td></tr>'
    expect((await textOf(wide)).map((row) => row.split(/ +/))).toEqual([["a", "b"]])
  })

  test("that is too large is told row by row", async () => {
    const cells = "<td>x</td>".repeat(4000)
    const [first, second] = await textOf(`<tr><th>head</th><td>cell</td></tr><tr>${cells}</tr>`)
    expect([first, second?.length]).toEqual(["head cell", 7999])
    expect(await textOf("<tr><td>x</td></tr>".repeat(3000))).toHaveLength(3000)
  })
})

describe("text made of HTML", () => {
  const textOf = (html: string) => read(`Content-Type: text/html\r\n\r\n${html}`)
  /** A text this short may have any size beside its HTML. */
  const SHORT_BYTES = 4096

  test.each(Object.entries(EXPANDING))("has a size like its own: %s", async (_name, html) => {
    const { text, truncated } = await textOf(html)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.max(SHORT_BYTES, 2 * html.length))
    // Tables are written row by row before anything is cut.
    expect(truncated).toBe(!html.includes("<table"))
  })

  test("keeps the words of a table that is too large to be drawn", async () => {
    const { text } = await textOf(wideTable())
    expect(text.match(/\bx\b/g)).toHaveLength(66)
    expect(text.match(/w{200}/g)).toHaveLength(20)
  })

  test("of any nesting is bounded", async () => {
    const piece = fc.oneof(
      fc.constantFrom("<ul>", "<ol>", "<li>", "<blockquote>", "<hr>", "<br>", "<p>", "<pre>", "<table>", "</table>"),
      fc.constantFrom("<tr>", "<td>", "<th>", "<td colspan=20>", "<td rowspan=20>", "</li></ul>", "</blockquote>"),
      fc.constantFrom("x", "w".repeat(200), "ä", "&nbsp;", "\u{1f600}", "\x01", "\r\n")
    )
    const repeated = fc
      .tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 200 }))
      .map(([pieces, times]) => pieces.join("").repeat(times))
    const pages = fc.array(repeated, { minLength: 1, maxLength: 4 }).map((all) => all.join(""))
    await fc.assert(
      fc.asyncProperty(pages, async (page) => {
        const { text, html } = await textOf(page)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.max(SHORT_BYTES, 2 * Buffer.byteLength(html ?? "")))
      }),
      { numRuns: 200 }
    )
  })
})

test("of too many lines none is read", async () => {
  const lines = (count: number) => Buffer.from(`Subject: lines\r\n\r\n${"\n".repeat(count)}`)
  await expect(readMail(lines(BOUNDS.lines_max), BOUNDS)).rejects.toThrow("too many lines")
  expect((await readMail(lines(1000), BOUNDS)).subject).toBe("lines")
})

describe("a thread", () => {
  let scope: Scope.Closeable
  let readers: Readers
  beforeAll(async () => {
    scope = Scope.makeUnsafe()
    readers = await Effect.runPromise(Scope.provide(openReaders(BOUNDS, null), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Effect.exit(Effect.void) as never)))

  const parse = (raw: string) => Effect.runPromise(readers.parse(Buffer.from(raw), clientOf("192.0.2.7")))
  const nested = (depth: number): string => {
    const levels = Array.from({ length: depth }, (_, n) => n)
    const open = levels.map((n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`).join("")
    return `${open}Content-Type: text/plain\r\n\r\nin the middle\r\n${levels
      .toReversed()
      .map((n) => `--b${n}--\r\n`)
      .join("")}`
  }

  test.each([
    ["nested too deep", nested(300)],
    ["10,000 headers", `${Array.from({ length: 10_000 }, (_, n) => `X-${n}: ${"x".repeat(40)}\r\n`).join("")}\r\nx`],
    ["nothing at all", ""],
    ["bytes of chance", String.fromCharCode(...Array.from({ length: 4000 }, (_, n) => (n * 7919) % 65_536))],
    ["a header without an end", `Subject: ${"x".repeat(2_000_000)}`]
  ])("%s is kept, read or not", async (_name, raw) => {
    const mail = await parse(raw)
    expect(Buffer.byteLength(mail.text)).toBeLessThanOrEqual(BOUNDS.body_max_bytes)
  })

  test.each([
    [
      "100,000 parts",
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(100_000)}--b--\r\n`
    ],
    ["HTML nested 100,000 deep", `Content-Type: text/html\r\n\r\n${"<div>".repeat(50_000)}x${"</div>".repeat(50_000)}`],
    ["a table in a table", `Content-Type: text/html\r\n\r\n${"<table><tr><td>".repeat(10_000)}x`],
    ["10 MB of addresses", `To: ${"a@b.example,".repeat(800_000)}\r\n\r\nx`]
  ])("%s ends within its time, and the next message is read", async (_name, raw) => {
    const mail = await parse(raw)
    expect(Buffer.byteLength(mail.text)).toBeLessThanOrEqual(BOUNDS.body_max_bytes)
    expect((await parse("Subject: next\r\n\r\nx")).subject).toBe("next")
  })
})
