/** What a reader of MIME easily gets wrong: bytes of attachments, charsets that lie, senders with commas (RFC 2045-2047, 5322). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readMail } from "../../../actors/mail/parse/read.ts"
import { doubtsOf } from "../../../actors/mail/parse/form.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const BOUNDS = { ...LIMITS.limits.email, ...LIMITS.service.mail }
const read = (raw: string | Uint8Array) => readMail(Buffer.from(raw as string), BOUNDS)
const latin1 = (text: string) => Buffer.from(text, "latin1")

describe("an attachment is the sender's bytes", () => {
  const withAttachment = (encoding: string, body: Uint8Array, type = "application/octet-stream"): Buffer =>
    Buffer.concat([
      latin1(
        'From: a@a.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\n\r\nText.\r\n--x\r\n'
      ),
      latin1(`Content-Type: ${type}; name="f.bin"\r\nContent-Disposition: attachment; filename="f.bin"\r\n`),
      latin1(`Content-Transfer-Encoding: ${encoding}\r\n\r\n`),
      body,
      latin1("\r\n--x--\r\n")
    ])
  const attached = async (encoding: string, body: Uint8Array, type?: string): Promise<string> => {
    const { attachments } = await read(withAttachment(encoding, body, type))
    expect(attachments).toHaveLength(1)
    return Buffer.from(attachments[0]?.bytes ?? []).toString("latin1")
  }

  test.each([
    ["7bit", "one\r\ntwo\r\n"],
    ["7bit", "one\r\ntwo"],
    ["7bit", "\r\n\r\nblank lines around\r\n\r\n"],
    ["8bit", "one\ntwo\n"],
    ["binary", "one\r\r\ntwo\rthree\n\r\n"],
    ["", "no encoding\r\n"]
  ])("%s: %j", async (encoding, body) => {
    expect(await attached(encoding, latin1(body))).toBe(body)
  })

  test("quoted-printable, with its own line ends and none that it does not have", async () => {
    expect(await attached("quoted-printable", latin1("a=3Db=\r\nc\r\n=C3=A4=\r\n"))).toBe("a=bc\r\n\xc3\xa4")
    expect(await attached("Quoted-Printable", latin1("=zz=4"))).toBe("=zz=4")
  })

  test("base64", async () => {
    const bytes = latin1("one\r\ntwo\n\0\xff")
    expect(await attached("base64", Buffer.from(bytes.toString("base64")))).toBe("one\r\ntwo\n\0\xff")
  })

  test("a message in a message", async () => {
    const message = "From: b@b.example\r\nSubject: inner\r\n\r\nline\r\n\r\n"
    expect(await attached("7bit", latin1(message), "message/rfc822")).toBe(message)
  })

  test("whatever they are, where no line of them is the boundary", async () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((found) => Buffer.from(found).toString("latin1"))
    const lines = fc.array(fc.oneof(bytes, fc.constantFrom("\r\n", "\n", "\r", "=", "--", "text")), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(lines, async (found) => {
        const body = found.join("")
        fc.pre(!body.includes("--x"))
        expect(await attached("binary", latin1(body))).toBe(body)
      }),
      { numRuns: 300 }
    )
  })
})

describe("text whose label lies", () => {
  const TEXT = "Ihr Code für München: 48213Ä 確認"
  const labeled = async (charset: string, body: Uint8Array): Promise<string> => {
    const head = `From: a@a.example\r\nContent-Type: text/plain${charset}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`
    return (await read(Buffer.concat([latin1(head), body]))).text.trim()
  }

  test.each(["iso-2022-jp", "shift_jis", "gb2312", "iso-8859-1", "us-ascii", "unknown-8bit", "koi8-r", "x"])(
    "UTF-8 that says it is %s",
    async (charset) => {
      expect(await labeled(`; charset=${charset}`, Buffer.from(TEXT))).toBe(TEXT)
    }
  )

  test("and one without a label", async () => {
    expect(await labeled("", Buffer.from(TEXT))).toBe(TEXT)
  })

  test("what is no UTF-8 is what it says", async () => {
    expect(await labeled("; charset=iso-8859-1", latin1("Gr\xfc\xdfe"))).toBe("Grüße")
    expect(await labeled("; charset=shift_jis", Buffer.from([0x8a, 0x6d, 0x94, 0x46]))).toBe("確認")
  })

  test.each(["", "; charset=us-ascii", "; charset=utf-8", "; charset=iso-8859-1"])(
    "ISO-2022-JP by its escapes%s",
    async (charset) => {
      expect(await labeled(charset, latin1("\x1b$B3NG'\x1b(B 4821"))).toBe("確認 4821")
    }
  )

  test("encoded words of a subject and of a file's name", async () => {
    const word = (charset: string, text: string): string => `=?${charset}?B?${Buffer.from(text).toString("base64")}?=`
    const raw =
      `From: ${word("iso-2022-jp", "Bücher")} <a@a.example>\r\nSubject: ${word("shift_jis", "確認 4821")} =?us-ascii?Q?f=C3=BCr?=\r\n` +
      `Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="${word("gb2312", "Rechnung für.pdf")}"\r\n\r\nx`
    const { from, subject, attachments } = await read(raw)
    expect([from.name, subject, attachments[0]?.filename]).toEqual(["Bücher", "確認 4821für", "Rechnung für.pdf"])
  })

  test("costs one look at each word, however many there are and whatever is in them", async () => {
    const words = Array.from({ length: 2000 }, () => "=?x?q?=?=?=?").join("")
    expect((await read(`From: a@a.example\r\nSubject: ${words}\r\n\r\nx`)).parsed).toBe(true)
  })
})

describe("the sender is the first mailbox of the list", () => {
  const from = async (header: string) => (await read(`From: ${header}\r\n\r\nx`)).from

  test.each([
    ["Joe Foo, PhD <joe@uni.example>", "joe@uni.example", "Joe Foo, PhD"],
    ['"Foo, Joe" <joe@uni.example>', "joe@uni.example", "Foo, Joe"],
    ['"a@b"@evil.example', "a@b@evil.example", ""],
    ['Me <"a@b"@evil.example>', "a@b@evil.example", "Me"],
    ["joe@uni.example, ann@uni.example", "joe@uni.example", ""],
    ["Team: joe@uni.example, ann@uni.example;", "joe@uni.example", ""],
    ["Nobody", "", "Nobody"],
    ["=?utf-8?q?x=40bank.example?=", "", "x@bank.example"],
    ["=?utf-8?q?x=40bank.example?= <joe@uni.example>", "joe@uni.example", "x@bank.example"],
    ["bank@bank.example, <joe@uni.example>", "bank@bank.example", ""]
  ])("%s", async (header, address, name) => {
    expect(await from(header)).toEqual({ address, name })
  })

  test("addresses of two domains are doubted, a comma in a name is not", () => {
    expect(doubtsOf(latin1("From: Joe Foo, PhD <joe@uni.example>\r\n\r\nx"))).toEqual([])
    expect(doubtsOf(latin1('From: "a@b.example"@evil.example\r\n\r\nx'))).toEqual([])
    expect(doubtsOf(latin1("From: Joe, PhD <joe@uni.example>, b@bank.example\r\n\r\nx"))).toEqual(["from_domains"])
  })
})
