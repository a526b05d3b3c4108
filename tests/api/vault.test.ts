/** A vault over two edges: its key, entries, sources, fills by policy, and its end (spec 3.5, 4.12; contract 9, 17). */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Vault, VaultEntry, VaultLogLine } from "../../schemas/vault/records.ts"
import { openEntry } from "../../schemas/vault/seal.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"
import {
  asHolder,
  issueToken,
  LIMITS_OF_CARD,
  oneTimeKey,
  sealedEntry,
  VAULT,
  type Wanted,
  type WithVault,
  withVault
} from "../support/vault.ts"

let service: TestService
beforeAll(async () => {
  service = await testService({ edges: 2, actors: 2, keeper: true })
})
afterAll(() => service?.stop())

const SHOP = "https://shop.example"

const write = async (of: WithVault, wanted: Wanted = {}, more: object = {}) =>
  of.client.call("POST", `${VAULT}/entries`, { body: { ...(await sealedEntry(of, wanted)), ...more } })
const written = async (of: WithVault, wanted: Wanted = {}): Promise<VaultEntry> => dataOf(await write(of, wanted))
const withService = async () => {
  const of = await withVault(service)
  const token = await issueToken(service, of.agent.id)
  return { ...of, token, ask: asHolder(service, token) }
}
const log = async ({ client }: WithVault): Promise<ReadonlyArray<VaultLogLine>> =>
  dataOf(await client.call("GET", `${VAULT}/log?per_page=100`))

describe("a vault", () => {
  it("is made once, and gets its key", async () => {
    const of = await withVault(service)
    expect(of.vault).toMatchObject({ status: "active", entries: 0, sources: 0, revoked_at: null })
    expect(Buffer.from(of.vault.public_key, "base64")).toHaveLength(32)
    expect(outcome(await of.client.call("POST", VAULT, { body: {} }))).toBe("409 vault_exists")
    await waitFor(async () => ((await log(of)).some(({ event }) => event === "key_generated") ? true : null))
    const other = await anAgent(service.edges)
    expect(outcome(await other.client.call("GET", VAULT))).toBe("404 not_found")
  })

  it("lists what is in it, never a ciphertext", async () => {
    const of = await withVault(service)
    const login = await written(of, { label: "Shop" })
    const card = await written(of, { kind: "card", origins: [] })
    expect(login).toMatchObject({
      kind: "login",
      label: "Shop",
      origins: [SHOP],
      limits: null,
      source: "agent",
      uses: 0
    })
    expect(card.limits).toEqual({ currency: "EUR", per_payment: "50.00", per_day: "80.00", fills_per_day: 3 })
    const answer = await of.client.call("GET", `${VAULT}/entries`)
    expect(dataOf<ReadonlyArray<VaultEntry>>(answer).map(({ id }) => id)).toEqual([card.id, login.id])
    expect(answer.text).not.toContain("hxv1.")
    expect(dataOf(await of.client.call("GET", `${VAULT}/entries/${login.id}`))).toEqual(login)
  })

  it("keeps one profile, the newest", async () => {
    const of = await withVault(service)
    await written(of, { kind: "profile" })
    const second = await written(of, { kind: "profile" })
    const all = dataOf<ReadonlyArray<VaultEntry>>(await of.client.call("GET", `${VAULT}/entries`))
    expect(all.map(({ uid }) => uid)).toEqual([second.uid])
  })

  it.each([
    [{ kind: "login", origins: [] }, "422 origins_required"],
    [{ kind: "login", origins: ["http://shop.example"] }, "422 validation_error"],
    [{ kind: "login", origins: ["https://127.0.0.1"] }, "422 validation_error"],
    [{ kind: "login", origins: ["https://shop.example/"] }, "422 validation_error"],
    [
      { kind: "card", limits: { ...LIMITS_OF_CARD, per_payment: "1000.01", per_day: 1000 } },
      "422 limits_above_ceiling"
    ],
    [{ kind: "card", limits: { ...LIMITS_OF_CARD, per_payment: "1.001" } }, "422 validation_error"],
    [{ kind: "card", limits: { ...LIMITS_OF_CARD, currency: "XXX" } }, "422 validation_error"],
    [{ kind: "card", limits: { ...LIMITS_OF_CARD, currency: "JPY", per_payment: "0.5" } }, "422 validation_error"]
  ] as ReadonlyArray<[Wanted, string]>)("refuses %j: %s", async (wanted, refused) => {
    expect(outcome(await write(await withVault(service), wanted))).toBe(refused)
  })

  it("refuses what is no ciphertext, a card without limits, and a uid that it has", async () => {
    const of = await withVault(service)
    for (const ciphertext of ["", "hxv1.", "hxv1.not base64", `hxv1.${"A".repeat(16_380)}`, `hxv2.${"A".repeat(80)}`]) {
      expect(outcome(await write(of, {}, { ciphertext }))).toBe("422 ciphertext_invalid")
    }
    expect(outcome(await write(of, { kind: "card" }, { limits: null }))).toBe("422 limits_required")
    const { uid } = await written(of)
    expect(outcome(await write(of, {}, { uid }))).toBe("409 vault_entry_exists")
    expect(fieldOf(await write(of, {}, { uid: "x" }))).toBe("uid")
  })

  it("lets entries be narrowed, and no other way", async () => {
    const of = await withVault(service)
    const { id } = await written(of, { kind: "card", origins: [] })
    const change = async (body: object) => outcome(await of.client.call("PATCH", `${VAULT}/entries/${id}`, { body }))
    expect(await change({ origins: [SHOP, "https://other.example"] })).toBe("200")
    expect(await change({ origins: [SHOP] })).toBe("200")
    expect(await change({ origins: [] })).toBe("422 vault_widening_refused")
    expect(await change({ origins: ["https://other.example"] })).toBe("422 vault_widening_refused")
    expect(await change({ limits: { ...LIMITS_OF_CARD, per_payment: 20 } })).toBe("200")
    expect(await change({ limits: { ...LIMITS_OF_CARD, per_payment: 21 } })).toBe("422 vault_widening_refused")
    expect(await change({ limits: { ...LIMITS_OF_CARD, per_payment: 20, currency: "USD" } })).toBe(
      "422 vault_widening_refused"
    )
    expect(await change({ label: "x" })).toBe("422 validation_error")
    expect(dataOf(await of.client.call("GET", `${VAULT}/entries/${id}`))).toMatchObject({
      origins: [SHOP],
      limits: { per_payment: "20.00", per_day: "80.00" }
    })
  })
})

describe("a source", () => {
  it("writes the kinds that it may, and reads nothing", async () => {
    const of = await withVault(service)
    const made = dataOf<{ readonly id: number; readonly token: string }>(
      await of.client.call("POST", `${VAULT}/sources`, { body: { label: "Bank", kinds: ["card"] } })
    )
    expect(made.token).toMatch(/^hxs_/)
    const ask = asHolder(service, made.token)
    expect(dataOf(await ask("GET", `${VAULT}/source`))).toEqual({
      vault: of.vault.uid,
      public_key: of.vault.public_key,
      status: "active",
      kinds: ["card"]
    })
    const entry = await sealedEntry(of, { kind: "card" })
    const answer = await ask("POST", `${VAULT}/entries`, entry)
    expect(dataOf(answer)).toEqual({ id: 1, uid: entry.uid })
    const refused = await ask("POST", `${VAULT}/entries`, await sealedEntry(of))
    expect([outcome(refused), detailsOf(refused)["kinds"]]).toEqual(["403 vault_kind_not_allowed", ["card"]])
    for (const path of ["/entries", "/entries/1", "/log", "/sources", ""])
      expect(outcome(await ask("GET", `${VAULT}${path}`))).toBe("401 authentication_required")
    for (const path of ["/service/entries"])
      expect(outcome(await ask("GET", `${VAULT}${path}`))).toBe("401 token_invalid")
    const listed = dataOf<ReadonlyArray<object>>(await of.client.call("GET", `${VAULT}/sources`))
    expect(listed).toEqual([{ id: made.id, label: "Bank", kinds: ["card"], created_at: expect.any(String) }])
    expect(outcome(await of.client.call("DELETE", `${VAULT}/sources/${made.id}`))).toBe("200")
    expect(outcome(await ask("GET", `${VAULT}/source`))).toBe("401 token_invalid")
    expect(dataOf(await of.client.call("GET", `${VAULT}/entries/1`))).toMatchObject({ source: `source:${made.id}` })
  })

  it("under one Idempotency-Key is made once, with one token; so is what it writes", async () => {
    const of = await withVault(service)
    const options = { body: { label: "Bank", kinds: ["login"] }, idempotencyKey: randomUUID() }
    const [first, second] = [
      dataOf<{ readonly token: string }>(await of.client.call("POST", `${VAULT}/sources`, options)),
      dataOf<{ readonly token: string }>(await of.client.call("POST", `${VAULT}/sources`, options))
    ]
    expect(second).toEqual(first)
    const entry = await sealedEntry(of)
    const ask = asHolder(service, first.token)
    const key = { "idempotency-key": randomUUID() }
    const [one, other] = [
      await ask("POST", `${VAULT}/entries`, entry, key),
      await ask("POST", `${VAULT}/entries`, entry, key)
    ]
    expect([outcome(one), other.text]).toEqual(["201", one.text])
  })

  it.each(["", "hxs_x", `hxs_${"0".repeat(24)}${"A".repeat(43)}`, `hxv_${"0".repeat(24)}${"A".repeat(43)}`])(
    "token %j is none",
    async (token) => {
      expect(outcome(await asHolder(service, token)("GET", `${VAULT}/source`))).toBe("401 token_invalid")
    }
  )
})

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

describe("revoked", () => {
  const kept = async (stream: string, filter: string): Promise<number> => {
    const { state } = await service.view.manager.streams.info(stream, { subjects_filter: filter })
    return Object.keys(state.subjects ?? {}).length
  }

  it("its key and ciphertexts are erased, its journal stays, and the next has another uid", async () => {
    const of = await withVault(service)
    const first = await written(of)
    await written(of, { kind: "card" })
    const boxes = subjects.vaultOf(of.agent.id, of.vault.uid)
    expect([await kept(streams.vault, boxes), await kept(streams.vaultKeys, subjects.vaultKey(of.vault.uid))]).toEqual([
      2, 1
    ])
    expect(outcome(await of.client.call("DELETE", `${VAULT}/entries/${first.id}`))).toBe("200")
    await waitFor(async () => ((await kept(streams.vault, boxes)) === 1 ? true : null), {
      describe: "its box is erased"
    })
    expect(outcome(await of.client.call("POST", `${VAULT}/revoke`, { body: {} }))).toBe("422 confirmation_required")
    const answer = await of.client.call("POST", `${VAULT}/revoke`, { body: { confirm: "revoke" } })
    expect(dataOf(answer)).toEqual({ revoked: true, revoked_at: expect.any(String) })
    await waitFor(
      async () =>
        (await kept(streams.vault, boxes)) + (await kept(streams.vaultKeys, subjects.vaultKey(of.vault.uid))) === 0
          ? true
          : null,
      { describe: "all is erased" }
    )
    expect(dataOf(await of.client.call("GET", VAULT))).toMatchObject({ status: "revoked", entries: 0 })
    expect(outcome(await write(of))).toBe("409 vault_not_active")
    const lines = await waitFor(async () => ((await log(of))[0]?.event === "revoked" ? await log(of) : null))
    expect(lines).toHaveLength(5)
    const next = dataOf<Vault>(await of.client.call("POST", VAULT, { body: {} }))
    expect([next.uid === of.vault.uid, next.status]).toEqual([false, "pending_key"])
  })

  it("it is with its account", async () => {
    const of = await withVault(service)
    await written(of)
    await of.client.call("DELETE", "/api/v1/me", { body: { confirm: of.agent.handle } })
    await waitFor(
      async () => ((await kept(streams.vault, subjects.vaultOf(of.agent.id, of.vault.uid))) === 0 ? true : null),
      {
        describe: "its box is erased"
      }
    )
  })
})
