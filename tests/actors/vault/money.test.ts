/** Amounts of money, and websites, as policy reads them (contract 9, 17). */
import { expect, test } from "vitest"
import { amountOf, isCurrency, minorOf } from "../../../schemas/vault/money.ts"
import { originProblem } from "../../../schemas/vault/origins.ts"

test.each([
  ["1", "EUR", 100],
  ["1.5", "EUR", 150],
  ["1.50", "EUR", 150],
  ["1.500", "EUR", 150],
  ["1.505", "EUR", null],
  [12.34, "EUR", 1234],
  [0.1 + 0.2, "EUR", null],
  ["500", "JPY", 500],
  ["0.5", "JPY", null],
  ["1.234", "KWD", 1234],
  ["-1", "EUR", null],
  ["1e3", "EUR", null],
  ["1,5", "EUR", null],
  ["", "EUR", null],
  [Number.NaN, "EUR", null],
  ["0000001", "EUR", 100]
] as const)("%j of %s is %j", (amount, currency, minor) => {
  expect(minorOf(amount, currency)).toBe(minor)
  if (minor !== null) expect(minorOf(amountOf(minor, currency), currency)).toBe(minor)
})

test("what nobody pays in is no currency", () => {
  expect(["EUR", "JPY", "XAU", "XXX", "eur", "E"].map(isCurrency)).toEqual([true, true, false, false, false, false])
})

test.each([
  ["https://shop.example", null],
  ["https://shop.example:8443", null],
  ["https://xn--bcher-kva.example", null],
  ["https://bücher.example", "page_not_https"],
  ["https://shop.example/", "page_not_https"],
  ["https://shop.example@evil.example", "page_not_https"],
  ["https://SHOP.example", "page_not_https"],
  ["http://shop.example", "page_not_https"],
  ["data:text/html,x", "page_not_https"],
  ["blob:https://shop.example/1", "page_not_https"],
  ["null", "page_not_https"],
  ["https://127.0.0.1", "page_host_refused"],
  ["https://0x7f.1", "page_not_https"],
  ["https://[::1]", "page_host_refused"],
  ["https://localhost", "page_host_refused"],
  ["https://nas", "page_host_refused"],
  ["https://router.local", "page_host_refused"],
  ["https://*.shop.example", "page_host_refused"],
  ["https://my_shop.shop.example", null],
  ["https://shop..example", "page_host_refused"],
  ["https://shop.example.", "page_host_refused"]
] as const)("the origin %s: %s", (origin, problem) => {
  expect(originProblem(origin)).toBe(problem)
})
