/** Fill services over two edges: the key they load, what policy lets them fill, and the journal (spec 3.5, 4.12; contract 9, 17). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { VaultEntry, VaultLogLine } from "../../schemas/vault/records.ts"
import { openEntry } from "../../edge/sdk/vault/seal.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { type TestService, sharedService } from "../support/service.ts"
import {
  asHolder,
  issueToken,
  oneTimeKey,
  sealedEntry,
  VAULT,
  type Wanted,
  type WithVault,
  withVault
} from "../support/vault.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService({ keeper: true })
})
afterAll(() => service?.stop())

const SHOP = "https://shop.example"

const written = async (of: WithVault, wanted: Wanted = {}): Promise<VaultEntry> =>
  dataOf(await of.client.call("POST", `${VAULT}/entries`, { body: await sealedEntry(of, wanted) }))
const withService = async () => {
  const of = await withVault(service)
  const token = await issueToken(service, of.agent.id)
  return { ...of, token, ask: asHolder(service, token) }
}
const log = async ({ client }: WithVault): Promise<ReadonlyArray<VaultLogLine>> =>
  dataOf(await client.call("GET", `${VAULT}/log?per_page=100`))

describe("a fill service", () => {
  it("loads the key once, sealed to a key of its own, and opens what it fills", async () => {
    const { ask, ...of } = await withService()
    const { ephemeral_public_key, open } = await oneTimeKey()
    const load = () => ask("POST", `${VAULT}/service/key`, { ephemeral_public_key })
    const { sealed_key, public_key } = dataOf<{ readonly sealed_key: string; readonly public_key: string }>(
      await load()
    )
    const private_key = open(sealed_key)
    // Whose answer was lost asks again; nobody else gets it.
    expect(Buffer.from(open(dataOf<{ readonly sealed_key: string }>(await load()).sealed_key))).toEqual(
      Buffer.from(private_key)
    )
    const other = await oneTimeKey()
    expect(
      outcome(await ask("POST", `${VAULT}/service/key`, { ephemeral_public_key: other.ephemeral_public_key }))
    ).toBe("409 vault_key_taken")
    const entry = await written(of)
    const wanted = { entry_id: entry.id, action: "login", origin: SHOP }
    const fill = dataOf<{ readonly ciphertext: string; readonly fill_id: number }>(
      await ask("POST", `${VAULT}/service/fill`, wanted)
    )
    const keys = { public_key: Buffer.from(public_key, "base64"), private_key }
    expect(await openEntry(fill.ciphertext, keys)).toMatchObject({
      v: 1,
      vault: of.vault.uid,
      uid: entry.uid,
      kind: "login",
      origins: [SHOP],
      username: "ada",
      password: "correct horse"
    })
    const result = (status: string) =>
      ask("POST", `${VAULT}/service/fill/${fill.fill_id}/result`, { status, filled: [] })
    expect(dataOf(await result("done"))).toEqual({ fill_id: fill.fill_id, status: "done", late: false })
    expect(outcome(await result("done"))).toBe("404 not_found")
    expect(dataOf(await of.client.call("GET", `${VAULT}/entries/${entry.id}`))).toMatchObject({ uses: 1 })
    const events = await waitFor(async () => {
      const lines = await log(of)
      return lines.some(({ status }) => status === "done") ? lines : null
    })
    expect(events.map(({ event }) => event)).toEqual(["fill", "entry_created", "key_loaded", "key_generated"])
    expect(events[0]).toMatchObject({
      actor: "fill_service",
      entry_id: entry.id,
      origin: SHOP,
      status: "done",
      code: null
    })
  })

  it("is refused by policy, and every refusal is in the journal", async () => {
    const { ask, ...of } = await withService()
    const login = await written(of)
    const card = await written(of, { kind: "card", origins: [SHOP] })
    const fill = (wanted: object) => ask("POST", `${VAULT}/service/fill`, wanted)
    const pay = (amount: string | number, currency = "EUR", origin = SHOP) =>
      fill({ entry_id: card.id, action: "pay", origin, amount, currency })
    const refused: Array<string> = []
    for (const answer of [
      await fill({ entry_id: 99, action: "login", origin: SHOP }),
      await fill({ entry_id: login.id, action: "pay", origin: SHOP, amount: 1, currency: "EUR" }),
      await fill({ entry_id: login.id, action: "login", origin: "https://evil.example" }),
      await fill({ entry_id: login.id, action: "login", origin: "http://shop.example" }),
      await fill({ entry_id: login.id, action: "login", origin: "https://10.0.0.1" }),
      await pay("1", "EUR", "https://evil.example"),
      await pay("1", "USD"),
      await pay("50.01")
    ])
      refused.push(outcome(answer))
    expect(refused).toEqual([
      "404 entry_unknown",
      "403 kind_mismatch",
      "403 origin_mismatch",
      "403 page_not_https",
      "403 page_host_refused",
      "403 origin_not_allowed",
      "403 currency_mismatch",
      "403 amount_over_payment"
    ])
    expect(outcome(await pay("50"))).toBe("200")
    expect(outcome(await pay("30.01"))).toBe("403 amount_over_day")
    expect(outcome(await pay(30))).toBe("200")
    expect(outcome(await pay("0"))).toBe("200")
    expect(outcome(await pay("0"))).toBe("403 fills_over_day")
    const codes = await waitFor(async () => {
      const lines = await log(of)
      const found = lines.filter(({ event }) => event === "refusal").map(({ code }) => code)
      return found.length === refused.length + 2 ? found : null
    })
    expect(codes.toReversed()).toEqual([...refused.map((one) => one.slice(4)), "amount_over_day", "fills_over_day"])
  })

  it("has no token any more once another is drawn for its place, nor when its vault is revoked", async () => {
    const { ask, token, ...of } = await withService()
    expect(outcome(await ask("GET", `${VAULT}/service/entries`))).toBe("200")
    const next = await issueToken(service, of.agent.id)
    expect(next).not.toBe(token)
    expect(outcome(await ask("GET", `${VAULT}/service/entries`))).toBe("401 token_invalid")
    const { ephemeral_public_key } = await oneTimeKey()
    expect(outcome(await ask("POST", `${VAULT}/service/key`, { ephemeral_public_key }))).toBe("401 token_invalid")
    await of.client.call("POST", `${VAULT}/revoke`, { body: { confirm: "revoke" } })
    expect(outcome(await asHolder(service, next)("GET", `${VAULT}/service/entries`))).toBe("401 token_invalid")
  })

  it("lists what may be filled into a website", async () => {
    const { ask, ...of } = await withService()
    const login = await written(of)
    const any = await written(of, { kind: "card", origins: [] })
    await written(of, { origins: ["https://other.example"] })
    const ids = async (query: string) =>
      dataOf<ReadonlyArray<{ readonly id: number }>>(await ask("GET", `${VAULT}/service/entries${query}`)).map(
        ({ id }) => id
      )
    expect(await ids(`?origin=${SHOP}`)).toEqual([login.id, any.id])
    expect(await ids(`?origin=${SHOP}&kind=card`)).toEqual([any.id])
    expect(outcome(await ask("GET", `${VAULT}/service/entries?kind=x`))).toBe("422 validation_error")
  })
})
