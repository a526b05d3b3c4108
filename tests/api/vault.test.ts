/** A vault over two edges: its key, entries, sources, fills by policy, and its end (spec 3.5, 4.12; contract 9, 17). */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Vault, VaultEntry, VaultLogLine } from "../../schemas/vault/records.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { newIdentity } from "../support/identity.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { rotate } from "../support/rotation.ts"
import { type TestService, sharedService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"
import {
  asHolder,
  LIMITS_OF_CARD,
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

const write = async (of: WithVault, wanted: Wanted = {}, more: object = {}) =>
  of.client.call("POST", `${VAULT}/entries`, { body: { ...(await sealedEntry(of, wanted)), ...more } })
const written = async (of: WithVault, wanted: Wanted = {}): Promise<VaultEntry> => dataOf(await write(of, wanted))
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
    [{ label: "Home address" }, "label"],
    [{ origins: [SHOP] }, "origins"]
  ])("takes a profile without %j, which would stand in clear", async (clear, field) => {
    const of = await withVault(service)
    const refused = await write(of, { kind: "profile" }, clear)
    expect([outcome(refused), fieldOf(refused)]).toEqual(["422 validation_error", field])
    expect(outcome(await write(of, { kind: "profile" }, { label: null, origins: [] }))).toBe("201")
    const [profile] = dataOf<ReadonlyArray<VaultEntry>>(await of.client.call("GET", `${VAULT}/entries`))
    expect(profile).toMatchObject({ kind: "profile", label: null, origins: [], limits: null })
  })

  it("names the field of limits above the ceiling, and the real bound of origins", async () => {
    const of = await withVault(service)
    for (const [field, value] of [
      ["per_payment", "1000.01"],
      ["per_day", "100000.01"],
      ["fills_per_day", 1000]
    ] as const) {
      const limits = { ...LIMITS_OF_CARD, [field]: value }
      const refused = await write(of, { kind: "card", limits })
      expect([outcome(refused), fieldOf(refused)]).toEqual(["422 limits_above_ceiling", `limits.${field}`])
    }
    for (const count of [21, 101]) {
      const origins = Array.from({ length: count }, (_, index) => `https://shop-${index}.example`)
      expect(detailsOf(await write(of, { kind: "login", origins }))).toMatchObject({ field: "origins", max: 20 })
    }
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
    const { id, hx_id, handle } = of.agent
    expect(dataOf(await ask("GET", `${VAULT}/source`))).toEqual({
      agent: expect.objectContaining({ id, hx_id, handle }),
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

it("an entry is written by a rotated key under an Idempotency-Key too", async () => {
  const owned = await withVault(service)
  const next = newIdentity()
  dataOf(await rotate(owned.client, owned.agent.id, next))
  const client = new AgentClient({ identity: next, edge: () => service.edges[0] ?? "" })
  const body = await sealedEntry(owned)
  const write = () => client.call("POST", `${VAULT}/entries`, { body, idempotencyKey: "after-the-rotation" })
  expect([(await write()).status, (await write()).status]).toEqual([201, 201])
})
