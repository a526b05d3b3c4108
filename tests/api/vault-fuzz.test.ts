/**
 * Malformed requests to a vault, as nobody would send them by mistake (spec 4.12; contract 9, 17): each is refused with
 * its field, none is a fault of the service, and none is done by half.
 */
import { randomBytes, randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { waitFor } from "../harness/index.ts"
import type { Answer } from "../support/http.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { rounds } from "../support/rounds.ts"
import { type SeededRandom, seeded } from "../support/seed.ts"
import { type TestService, sharedService } from "../support/service.ts"
import {
  asHolder,
  eventsOfVault,
  issueToken,
  LIMITS_OF_CARD,
  oneTimeKey,
  sealedEntry,
  VAULT,
  withVault
} from "../support/vault.ts"

const REQUESTS = rounds(100)
const SHOP = "https://shop.example"
const FILL = `${VAULT}/service/fill`

let service: TestService

beforeAll(async () => {
  service = await sharedService({ keeper: true })
})
afterAll(() => service?.stop())

/** No amounts of any currency. */
const NO_AMOUNTS = [
  ..."1e3|0x10|١٢|-0|-1|+1|1_000|NaN|Infinity|1,5|1.|.5||1.2.3|１２|1e-2|0b11|1 000|1.0000001|9999999999999|½|1\u00001".split(
    "|"
  ),
  -1,
  1e21,
  1e-7,
  2 ** 63
] as const
/** More decimals than the currency has. */
const TOO_FINE = [
  ["1.1", "JPY"],
  ["1.001", "EUR"],
  ["1.0001", "KWD"],
  [0.5, "JPY"]
] as const
const NO_ORIGINS = [
  "http://shop.example",
  "https://shop.example/",
  "https://shop.example:443",
  "https://ada@shop.example",
  "https://ada:x@shop.example",
  "https://shop.example@evil.example",
  "https://shop.example.",
  "https://SHOP.example",
  "https://bücher.example",
  "https://xn--",
  "https://0x7f.1",
  "https://2130706433",
  "https://127.1",
  "https://0177.0.0.1",
  "https://127.0.0.1",
  "https://169.254.169.254",
  "https://[::1]",
  "https://[::ffff:7f00:1]",
  "https://[fe80::1%25eth0]",
  "https://localhost",
  "https://a.localhost",
  "https://router.local",
  "https://nas",
  "https://shop.example:99999",
  "https://shop.example\t",
  " https://shop.example",
  "https:shop.example",
  "https:\\\\shop.example",
  "//shop.example",
  "data:text/html,x",
  "blob:https://shop.example/1",
  "javascript:alert(1)",
  "null",
  "",
  "*",
  "https://*.example"
] as const
const WRONG = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "x",
  "\u0000",
  "\ud800",
  "🤖",
  [],
  [null],
  {},
  { a: {} }
] as const

/** One member of the body is something else, or is not there. */
const spoiled = (random: SeededRandom, body: object): object => {
  const name = random.pick(Object.keys(body))
  const entries = Object.entries(body)
  if (random.chance(0.2)) return Object.fromEntries(entries.filter(([one]) => one !== name))
  const inside = entries.find(([one]) => one === name)?.[1] as unknown
  const isNested = typeof inside === "object" && inside !== null && !Array.isArray(inside)
  const value = isNested && random.chance(0.7) ? spoiled(random, inside) : random.pick<unknown>(WRONG)
  return { ...body, [name]: value }
}

/** What is refused for its form names the field; nothing is a fault of the service. */
const expectTold = (answer: Answer, what: unknown): void => {
  const told = `${outcome(answer)} to ${JSON.stringify(what)}: ${answer.text}`
  expect(answer.status, told).toBeLessThan(500)
  if (answer.status === 422 && answer.code !== "limits_above_ceiling")
    expect(fieldOf(answer), told).toEqual(expect.stringMatching(/./))
}

const opened = async () => {
  const of = await withVault(service)
  const ask = asHolder(service, await issueToken(service, of.agent.id))
  const write = (body: object) => of.client.call("POST", `${VAULT}/entries`, { body })
  const list = async () =>
    dataOf<ReadonlyArray<VaultEntry>>(await of.client.call("GET", `${VAULT}/entries?per_page=100`))
  return { ...of, ask, write, list }
}

test("amounts and origins that are none are refused by name, in entries and in fills", async () => {
  const of = await opened()
  for (const amount of NO_AMOUNTS) {
    const limits = { ...LIMITS_OF_CARD, per_payment: amount }
    const body = { ...(await sealedEntry(of, { kind: "card" })), limits }
    const answer = await of.write(body)
    expect([amount, outcome(answer), fieldOf(answer)]).toEqual([amount, "422 validation_error", "limits.per_payment"])
  }
  for (const [per_day, currency] of TOO_FINE) {
    const body = {
      ...(await sealedEntry(of, { kind: "card" })),
      limits: { ...LIMITS_OF_CARD, per_payment: 1, per_day, currency }
    }
    expect([outcome(await of.write(body)), fieldOf(await of.write(body))]).toEqual([
      "422 validation_error",
      "limits.per_day"
    ])
  }
  for (const origin of NO_ORIGINS) {
    const answer = await of.write({ ...(await sealedEntry(of)), origins: [SHOP, origin] })
    expect([origin, outcome(answer), fieldOf(answer)]).toEqual([origin, "422 validation_error", "origins.1"])
  }
  expect(await of.list()).toEqual([])
  const cards: Array<VaultEntry> = []
  for (const currency of ["EUR", "JPY", "KWD"])
    cards.push(
      dataOf<VaultEntry>(
        await of.write(
          await sealedEntry(of, { kind: "card", origins: [], limits: { ...LIMITS_OF_CARD, per_payment: 50, currency } })
        )
      )
    )
  const pay = (index: number, more: object) => {
    const { id: entry_id = 0, limits } = cards[index] ?? {}
    return of.ask("POST", FILL, {
      entry_id,
      action: "pay",
      origin: SHOP,
      amount: 1,
      currency: limits?.currency,
      ...more
    })
  }
  const refusals: Array<string> = []
  for (const amount of NO_AMOUNTS) refusals.push(outcome(await pay(0, { amount })))
  for (const [amount, currency] of TOO_FINE)
    refusals.push(outcome(await pay(["EUR", "JPY", "KWD"].indexOf(currency), { amount })))
  expect(new Set(refusals)).toEqual(new Set(["422 validation_error"]))
  for (const origin of NO_ORIGINS)
    expect([origin, outcome(await pay(0, { origin }))]).toEqual([
      origin,
      expect.stringMatching(/^(?:403 page_(?:not_https|host_refused)|422 validation_error)$/)
    ])
  for (const [index, [amount, shown]] of [
    ["1.50", "1.50"],
    ["7", "7"],
    ["1.125", "1.125"]
  ].entries()) {
    expect(outcome(await pay(index, { amount }))).toBe("200")
    const [last] = (await eventsOfVault(service.view, of.agent.id, "vault.fill_opened")).slice(-1)
    expect(last).toMatchObject({ minor: Number(shown?.replace(".", "")), currency: ["EUR", "JPY", "KWD"][index] })
  }
})

test("whatever is wrong with a request, it is told, and nothing is done by half", async () => {
  const random = seeded("malformed requests to a vault")
  const of = await opened()
  const card = dataOf<VaultEntry>(await of.write(await sealedEntry(of, { kind: "card", origins: [] })))
  const login = dataOf<VaultEntry>(await of.write(await sealedEntry(of)))
  let [written, fills] = [2, 0]
  const pending: Array<number> = []
  const tries: ReadonlyArray<() => Promise<void>> = [
    async () => {
      const body = spoiled(
        random,
        await sealedEntry(of, { kind: random.pick(["login", "card", "secret"]), label: "x" })
      )
      const answer = await (random.chance(0.5) ? of.write(body) : of.ask("POST", `${VAULT}/entries`, body))
      if (answer.status === 201) written++
      expectTold(answer, body)
    },
    async () => {
      const wanted = { entry_id: card.id, action: "pay", origin: SHOP, amount: "0.01", currency: "EUR", field: "x" }
      const body = spoiled(random, random.chance(0.5) ? wanted : { ...wanted, entry_id: login.id, action: "login" })
      const answer = await of.ask("POST", FILL, body)
      if (answer.status === 200) pending.push(dataOf<{ readonly fill_id: number }>(answer).fill_id)
      if (answer.status === 200) fills++
      expectTold(answer, body)
    },
    async () => {
      const id = random.pick<number | string>([...pending, 0, -1, "1e3", "%D9%A1", "x", "9".repeat(30), "%00", "1.5"])
      const body = spoiled(random, { status: "done", code: null, filled: ["a"], submitted: true })
      const answer = await of.ask("POST", `${FILL}/${id}/result`, body)
      if (answer.status === 200) pending.splice(pending.indexOf(Number(id)), 1)
      expectTold(answer, [id, body])
    },
    async () => {
      const body = spoiled(random, { ephemeral_public_key: `${randomBytes(31).toString("base64")}` })
      const answer = await of.ask("POST", `${VAULT}/service/key`, body)
      expect(answer.status).toBe(422)
      expectTold(answer, body)
    },
    async () => {
      const id = random.pick<number | string>([card.id, card.id, login.id, 0, "1e0", "x", "9".repeat(30)])
      const limits = { ...LIMITS_OF_CARD, fills_per_day: 3 }
      const body = spoiled(random, { limits, origins: [SHOP] })
      // A card for any shop may be narrowed to one: then it is.
      expectTold(await of.client.call("PATCH", `${VAULT}/entries/${id}`, { body }), [id, body])
    }
  ]
  for (let n = 0; n < REQUESTS; n++) for (const one of tries) await one()
  expect(await of.list()).toHaveLength(written)
  expect(await eventsOfVault(service.view, of.agent.id, "vault.fill_opened")).toHaveLength(fills)
  expect(await eventsOfVault(service.view, of.agent.id, "vault.key_loaded")).toEqual([])
  expect(dataOf(await of.client.call("GET", `${VAULT}/entries/${card.id}`))).toMatchObject({
    limits: { currency: "EUR", fills_per_day: expect.any(Number) }
  })
  // What was refused is stored nowhere.
  const boxes = async () => {
    const filter = { subjects_filter: subjects.vaultOf(of.agent.id, of.vault.uid) }
    return Object.keys((await service.view.manager.streams.info(streams.vault, filter)).state.subjects ?? {}).length
  }
  await waitFor(async () => (await boxes()) === written, { describe: `${written} ciphertexts` })
})

test("a key that is no key, and a body that is none, load nothing", async () => {
  const of = await opened()
  const load = (ephemeral_public_key: unknown) => of.ask("POST", `${VAULT}/service/key`, { ephemeral_public_key })
  // Points of small order: nothing can be sealed to them.
  const points = [Buffer.alloc(32), Buffer.alloc(32).fill(1, 0, 1)].map((bytes) => bytes.toString("base64"))
  for (const key of [
    ...points,
    "",
    "A".repeat(44),
    `${"A".repeat(43)}=\n`,
    randomUUID(),
    1,
    null,
    [],
    randomBytes(33).toString("base64")
  ]) {
    const answer = await load(key)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "ephemeral_public_key"])
  }
  const { ephemeral_public_key } = await oneTimeKey()
  expect(outcome(await load(ephemeral_public_key))).toBe("200")
})
