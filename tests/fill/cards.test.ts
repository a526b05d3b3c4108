/** Card forms as shops write them: each is filled right and sent once, or refused with nothing typed (contract 22). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { type FillBench, openBench, told } from "../support/fill.ts"
import { LIMITS_OF_CARD } from "../support/vault.ts"

const NUMBER = "4111111111111111"
const CARD = { number: NUMBER, exp_month: "04", exp_year: "2031", cvc: "123", name: "Ada Lovelace" }
const AMOUNT = { amount: "42.50", currency: "EUR", submit: true }
const LIMITS = { ...LIMITS_OF_CARD, per_day: "2000", fills_per_day: 20 }
/** A card pays 20 times a day, and a test twice at most. */
const TESTS_OF_CARD = 10

let bench: FillBench
let site: string
let tests = 0
beforeAll(async () => {
  bench = await openBench(["*.example"])
})
afterAll(() => bench?.stop())
beforeEach(async () => {
  bench.websites.sent.length = 0
  if (tests++ % TESTS_OF_CARD > 0) return
  site = `https://shop${tests}.example`
  await bench.write({ kind: "card", origins: [site], limits: LIMITS, fields: { ...CARD, limits: LIMITS } })
})

const show = async (fields: string, total = "€42.50"): Promise<void> => {
  await bench.open(`${site}/blank`)
  const html = `<p>Total: ${total}</p><form action="/submitted" method="post">${fields}<button>Pay now</button></form>`
  await bench.page.locator("body").evaluate((body, inner) => Object.assign(body, { innerHTML: inner }), html)
}
const sent = () => waitFor(() => bench.lastSent(), { describe: "the page has sent it" })
const typed = async (): Promise<string> =>
  (await bench.page.locator("input").evaluateAll((all) => all.map((one) => Reflect.get(one, "value")))).join("")

const MONTHS: Readonly<Record<string, string>> = {
  en: "January February March April May June July August September October November December",
  de: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
  "de, short": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
  fr: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
  "fr, short": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
  es: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
  it: "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
  pt: "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
  nl: "januari februari maart april mei juni juli augustus september oktober november december",
  pl: "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
  "pl, with a day":
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
  ru: "Январь Февраль Март Апрель Май Июнь Июль Август Сентябрь Октябрь Ноябрь Декабрь",
  zh: "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月",
  ja: "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
  tr: "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
  numbers: "01 02 03 04 05 06 07 08 09 10 11 12"
}
const options = (names: string, from: number): string =>
  names
    .split(" ")
    .map((name, at) => `<option value="${at + from}">${name}</option>`)
    .join("")
const CHOOSE = `<option value="">Choose</option>`
const YEARS = [2029, 2030, 2031, 2032, 2033].map((year) => `<option>${year}</option>`).join("")
const EXPIRY = `<label>Expiry <input name="exp" placeholder="MM/YY"></label>`
const CODE = `<label>CVC <input name="code"></label>`
const CARD_NUMBER = `<label>Card number <input name="cc"></label>`
const dated = (month: string, year = `<select name="y" aria-label="Year">${YEARS}</select>`): string =>
  `${CARD_NUMBER}${month}${year}${CODE}`

describe("the expiry's month", () => {
  it.each(Object.entries(MONTHS))("is found in a list of names: %s", async (_, names) => {
    await show(dated(`<select name="m" aria-label="Monat">${options(names, 0)}</select>`))
    expect(told(await bench.post("/pay", AMOUNT))).toBe("200 done")
    expect(await sent()).toEqual({ cc: NUMBER, m: "3", y: "2031", code: "123" })
  })

  it.each([
    ["a list from 0", `<select name="m" aria-label="Expiry month">${options(MONTHS["en"] ?? "", 0)}</select>`, "3"],
    [
      "a list from 0 with a token",
      `<select name="m" autocomplete="cc-exp-month">${options(MONTHS["en"] ?? "", 0)}</select>`,
      "3"
    ],
    [
      "a list from 1 that asks to choose",
      `<select name="m" aria-label="Expiry month">${CHOOSE}${options(MONTHS["de"] ?? "", 1)}</select>`,
      "4"
    ],
    [
      "texts from 1 with values from 0",
      `<select name="m" aria-label="Expiry month">${CHOOSE}${options(MONTHS["numbers"] ?? "", 0)}</select>`,
      "3"
    ],
    [
      "texts that nobody reads, with values from 0",
      `<select name="m" aria-label="Expiry month">${options("a b c d e f g h i j k l", 0)}</select>`,
      "3"
    ]
  ])("is found in %s", async (_, list, value) => {
    await show(dated(list))
    expect(told(await bench.post("/pay", AMOUNT))).toBe("200 done")
    expect(await sent()).toMatchObject({ m: value })
  })
})

describe("the field for the number", () => {
  it.each([
    "Gift card number",
    "Loyalty card number",
    "Member card number",
    "Library card number",
    "Bonus card number",
    "Health insurance card number"
  ])("is not the one for the %s", async (label) => {
    for (const token of ["", `autocomplete="cc-number"`]) {
      await show(
        `<label>${label} <input name="other"></label><label>Card number <input name="cc" ${token}></label>${EXPIRY}${CODE}`
      )
      expect(told(await bench.post("/pay", AMOUNT))).toBe("200 done")
      expect(await sent()).toEqual({ other: "", cc: NUMBER, exp: "04/31", code: "123" })
    }
  })

  it("is the one with the token, whatever the labels say", async () => {
    await show(
      `<label>Card number <input name="other"></label><input name="cc" autocomplete="cc-number">${EXPIRY}${CODE}`
    )
    expect(told(await bench.post("/pay", AMOUNT))).toBe("200 done")
    expect(await sent()).toEqual({ other: "", cc: NUMBER, exp: "04/31", code: "123" })
  })

  it("is named by its placeholder alone", async () => {
    const hints = ["Name on card", "Card number", "MM / YY", "CVC"]
    await show(hints.map((hint, at) => `<input name="f${at}" placeholder="${hint}">`).join(""))
    expect(told(await bench.post("/pay", AMOUNT))).toBe("200 done")
    expect(await sent()).toEqual({ f0: "Ada Lovelace", f1: NUMBER, f2: "04/31", f3: "123" })
  })
})

describe("nothing is typed", () => {
  it.each([
    ["a form without an expiry", `${CARD_NUMBER}${CODE}`, "404 field_not_found"],
    ["a form without a code", `${CARD_NUMBER}${EXPIRY}`, "404 field_not_found"],
    [
      "a form whose only number is a gift card's",
      `<label>Gift card number <input name="gift" placeholder="1234 1234 1234 1234"></label>${EXPIRY}${CODE}`,
      "404 field_not_found"
    ],
    ["a form without a number", `${EXPIRY}${CODE}`, "404 field_not_found"],
    ["a form with a month and no year", dated(`<input name="m" aria-label="Expiry month">`, ""), "404 field_not_found"],
    [
      "a list without the card's month",
      dated(`<select name="m" aria-label="Expiry month"><option>01</option><option>02</option></select>`),
      "404 field_not_found"
    ],
    ["a form with two equal fields", `${CARD_NUMBER}${CARD_NUMBER}${EXPIRY}${CODE}`, "409 field_ambiguous"],
    ["a form with two equal codes", `${CARD_NUMBER}${EXPIRY}${CODE}${CODE}`, "409 field_ambiguous"],
    [
      "a page with two equal forms",
      `${CARD_NUMBER}${EXPIRY}${CODE}<button>Pay now</button></form><form action="/submitted" method="post">${CARD_NUMBER}${EXPIRY}${CODE}`,
      "409 field_ambiguous"
    ]
  ])("into %s", async (_, fields, expected) => {
    await show(fields)
    expect(told(await bench.post("/pay", AMOUNT))).toBe(expected)
    expect(await typed()).toBe("")
    expect(bench.websites.sent).toEqual([])
  })

  it("into a page in dollars for a card in euros", async () => {
    await show(`${CARD_NUMBER}${EXPIRY}${CODE}`, "$42.50")
    expect(told(await bench.post("/pay", AMOUNT))).toBe("403 currency_mismatch")
    expect(told(await bench.post("/pay", { ...AMOUNT, currency: "USD" }))).toBe("403 currency_mismatch")
    expect(await typed()).toBe("")
  })
})

describe("nothing is sent", () => {
  it.each([
    ["another number than the card's", "cc", "4000000000000002"],
    ["another expiry", "exp", "05/31"],
    ["another code", "code", "999"]
  ])("where the page holds %s by then", async (_, name, value) => {
    await show(
      `${CARD_NUMBER}${EXPIRY}${CODE}<label>Name on card <input name="holder" oninput="this.form.elements['${name}'].value = '${value}'"></label>`
    )
    expect(told(await bench.post("/pay", AMOUNT))).toBe("404 field_not_found")
    expect(bench.websites.sent).toEqual([])
  })
})
