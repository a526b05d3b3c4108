/** Codes and links in mail: how well they are found in the corpus, rule by rule, and whatever strangers write. */
import { describe, expect, it } from "vitest"
import { findIn } from "../../../actors/mail/codes/find.ts"
import type { Readable } from "../../../actors/mail/codes/found.ts"
import { type Example, examples } from "./corpus.ts"

const SURE = 0.5

const mail = (parts: Partial<Readable>): Readable => ({ from: "", subject: "", text: "", html: null, ...parts })
const sure = (parts: Partial<Readable>): ReadonlyArray<string> =>
  findIn(mail(parts))
    .codes.filter(({ confidence }) => confidence >= SURE)
    .map(({ code }) => code)
const inText = (text: string): ReadonlyArray<string> => sure({ text })
const inHtml = (html: string): ReadonlyArray<string> => sure({ html })

const scoreOf = (
  some: ReadonlyArray<Example>
): { readonly precision: number; readonly recall: number; readonly links: number } => {
  let [right, wrong, missed, kindsRight, kinds] = [0, 0, 0, 0, 0]
  for (const example of some) {
    const codes = sure(example.mail)
    right += codes.filter((code) => example.codes.includes(code)).length
    wrong += codes.filter((code) => !example.codes.includes(code)).length
    missed += example.codes.filter((code) => !codes.includes(code)).length
    const found = findIn(example.mail).links.map(({ kind }) => kind)
    kinds += Math.max(found.length, example.links.length)
    kindsRight += example.links.filter((kind, index) => found[index] === kind).length
  }
  return { precision: right / (right + wrong), recall: right / (right + missed), links: kindsRight / kinds }
}

describe("the corpus", () => {
  it("has some three hundred messages, a third of them at least without a code, a fifth set aside", () => {
    expect(examples.length).toBeGreaterThanOrEqual(300)
    expect(new Set(examples.map(({ name }) => name)).size).toBe(examples.length)
    expect(examples.filter(({ codes }) => codes.length === 0).length).toBeGreaterThan(examples.length / 3)
    const aside = examples.filter(({ setAside }) => setAside).length / examples.length
    expect(aside).toBeGreaterThan(0.17)
    expect(aside).toBeLessThan(0.25)
  })

  // Of what is set aside one code in 39 was none when the rules were made, and nobody has looked which: more than one
  // would be below that.
  it.each([
    ["tuned", false, 0.98],
    ["set aside", true, 0.97]
  ] as const)("is read well: the part %s", (name, setAside, precision) => {
    const score = scoreOf(examples.filter((example) => example.setAside === setAside))
    const shown = Object.entries(score).map(([what, share]) => `${what} ${(100 * share).toFixed(1)} %`)
    console.log(`${name}: ${shown.join(", ")}`)
    expect(score.precision).toBeGreaterThanOrEqual(precision)
    expect(score.recall).toBeGreaterThanOrEqual(0.95)
    expect(score.links).toBeGreaterThanOrEqual(0.95)
  })
})

describe("a code", () => {
  it.each([
    ["Your code is 482913.", "482913"],
    ["Your code: 482 913", "482913"],
    ["Your code: 4 8 2 9 1 3", "482913"],
    ["Your code: 48-29-13", "482913"],
    ["Your code: 4 - 8 - 2 - 9 - 1 - 3", "482913"],
    ["Your code: 4821", "4821"],
    ["Your code: 4821099377", "4821099377"],
    ["Your code: ABC-123", "ABC-123"],
    ["Your code: G-482913", "G-482913"],
    ["Your code: K7Q2-9XPL", "K7Q2-9XPL"],
    ["Your code: K7Q2 9XPL", "K7Q29XPL"],
    ["Your code: K7Q29X", "K7Q29X"],
    ["Your code:\u200b 482\u00a0913", "482913"],
    // Nobody sees these between the digits.
    ["Your code is 48\u{e0041}2\u180e913.", "482913"],
    ["Your code is 482\ufe0f\u206a\ufff9913.", "482913"],
    ["Your code:\u3164482913", "482913"],
    ["4829 is your PIN.", "4829"],
    ["Enter 482913 to sign in", "482913"],
    ["Your code is below.\n\n482913\n\nIt expires in 10 minutes.", "482913"],
    ["Your code:\n4\n8\n2\n9\n1\n3", "482913"],
    ["Your code is **482913**", "482913"]
  ])("is read from %j", (text, code) => {
    expect(inText(text)).toEqual([code])
    expect(inHtml(`<p>${text.replaceAll("\n", "<br>")}</p>`)).toEqual([code])
  })

  it("is found in the subject alone", () => expect(sure({ subject: "482913 is your login code" })).toEqual(["482913"]))

  it("is found by the subject where the body is nothing else", () =>
    expect(sure({ subject: "Your login code", text: "482913" })).toEqual(["482913"]))

  it("that is bound to an origin comes first, and is certain", () => {
    const { codes } = findIn(mail({ text: "Your code is 771204.\n\n@example.com #123456" }))
    expect(codes[0]).toMatchObject({ code: "123456", confidence: 1 })
    expect(findIn(mail({ text: "@example.com #general" })).codes).toEqual([])
  })

  it("is surer the more speaks for it", () => {
    const confidence = (parts: Partial<Readable>): number => findIn(mail(parts)).codes[0]?.confidence ?? 0
    const plain = confidence({ text: "Your code, as you asked for it a little while ago, is 482913, thank you" })
    const near = confidence({ text: "Thank you, your code is 482913, as you asked" })
    const alone = confidence({ text: "Your code:\n482913" })
    expect(near).toBeGreaterThan(plain)
    expect(alone).toBeGreaterThan(plain)
    expect(confidence({ html: "<p>Your code is <b>482913</b> now</p>" })).toBeGreaterThan(
      confidence({ html: "<p>Your code is 482913 now</p>" })
    )
    expect(confidence({ subject: "Your code", text: "Your code is 482913" })).toBeGreaterThan(
      confidence({ subject: "Hello", text: "Your code is 482913" })
    )
  })

  it("comes with the words around it, on one line of at most 120 characters", () => {
    const text = `${"before ".repeat(40)}your code is 482913 ${"behind ".repeat(40)}`
    const context = findIn(mail({ text })).codes[0]?.context ?? ""
    expect(context).toContain("your code is 482913")
    expect(context.length).toBeLessThanOrEqual(120)
    expect(findIn(mail({ text: "Your code:\n\n482913" })).codes[0]?.context).toBe("Your code: 482913")
  })

  it("that is hidden counts little alone, and nothing beside the same one that is seen", () => {
    for (const style of [
      "display:none",
      "font-size:0",
      "color:#fff",
      "max-height:0;overflow:hidden",
      "visibility:hidden",
      "opacity:0.001",
      "position:absolute;left:-9999px",
      "position: fixed; top: -200em",
      "text-indent:-9999px",
      "width:1px;height:1px;overflow:hidden",
      "position:absolute;clip:rect(0,0,0,0)",
      "position:absolute;clip:rect(0 0 0 0)",
      "clip-path:inset(50%)",
      "transform:scale(0)",
      "transform:translateX(-9999px)"
    ]) {
      const hidden = `<div style="${style}">Your code is 482913</div>`
      expect(inHtml(hidden), style).toEqual([])
      expect(findIn(mail({ html: hidden })).codes[0]?.confidence ?? 0).toBeLessThan(SURE)
      expect(inHtml(`${hidden}<p>Your code is <b>482913</b></p>`), style).toEqual(["482913"])
    }
    expect(inHtml("<style>.x{display:none}</style><p class=x>Your code is 482913</p>")).toEqual([])
    const folded = (attributes: string, more = "") =>
      inHtml(`<details${attributes}><summary>Code${more}</summary><p>Your code is 482913</p></details>`)
    expect([folded(""), folded(" open")]).toEqual([[], ["482913"]])
    expect(inHtml("<details><summary>Your code is 482913</summary></details>")).toEqual(["482913"])
  })

  it.each([
    "opacity:0.9",
    "position:absolute;left:-20px",
    "text-indent:-2em",
    "clip:rect(0,100px,100px,0)",
    "clip-path:inset(0)",
    "transform:scale(0.9)",
    "left:-9999px",
    "height:1%;overflow:hidden"
  ])("that is seen with %s counts", (style) => {
    expect(inHtml(`<div style="${style}">Your code is 482913</div>`)).toEqual(["482913"])
  })

  it("comes at most ten times, the surest first", () => {
    const text = Array.from({ length: 30 }, (_, index) => `Your code is ${482_913 + index * 1317}`).join("\n")
    const { codes } = findIn(mail({ text }))
    expect(codes).toHaveLength(10)
    expect(codes.map(({ confidence }) => confidence)).toEqual(
      codes.map(({ confidence }) => confidence).toSorted((a, b) => b - a)
    )
  })
})

describe("no code is", () => {
  it.each([
    "Your code was sent to the card ending in 4821.",
    "Your code was sent to •••• 4821.",
    "Your code was sent at 1845 on 24.11.2026.",
    "Your code expires in 1440 minutes.",
    "Your code is valid until 2026-11-24 18:45:02.",
    "We sent a login code to +49 170 4829137.",
    "Code not working? Call 0800 555 4821 or quote ticket 482913.",
    "Login code sent for order number 4829137, tracking number 48291377.",
    "Use your code at our shop, 4829 Market Street, San Francisco, CA 94107.",
    "See https://x.example/482913 and x.example/482914 for your code, or write to 482915@x.example.",
    "Our zip code is 94107, the area code 4155.",
    "Your code for a payment of $1,249.00 or 4829 EUR.",
    "Use promo code SAVE2026 for 20% off.",
    "Your code uses version 4.8.2913 and colour #482913.",
    "Error code 5021",
    "© 2026 Code Inc., PO Box 48291",
    "Bestellnummer 4829137 und Rechnungsnummer 48291377.",
    "Der Code wurde an +49 170 4829137 gesendet.",
    "注文番号：4829137 郵便番号 1040061",
    "订单号：4829137，请勿泄露验证码。"
  ])("%j", (text) => {
    expect(inText(text)).toEqual([])
    expect(inHtml(`<p>${text}</p>`)).toEqual([])
  })

  it("in styles, comments, scripts and addresses of HTML", () =>
    expect(
      findIn(
        mail({
          html: '<style>.code{color:#482913}</style><!-- code 482913 --><script>code=482914</script><a href="https://x.example/?code=482915">code</a>'
        })
      ).codes
    ).toEqual([]))
})
