/** The keeper away, come back, and with another HUB_VAULT_KEY: what goes on without it, and what waits. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { viewsOver } from "../../actors/engine/services.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Vault } from "../../schemas/vault/records.ts"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"
import { asHolder, issueToken, oneTimeKey, sealedEntry, VAULT, type WithVault, withVault } from "../support/vault.ts"

const [FIRST, SECOND] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")]

let keys: Readonly<Record<string, string>> = { HUB_VAULT_KEY: FIRST }
let service: TestService
beforeAll(async () => {
  service = await testService({
    edges: 2,
    keeper: true,
    metrics: true,
    nodeEnv: (role) => (role === "keeper" ? keys : {})
  })
})
afterAll(() => service?.stop())

const restarted = async (next: Readonly<Record<string, string>>): Promise<void> => {
  keys = next
  await service.system.keeper?.stop()
  await service.system.keeper?.restart()
}

const inTime = () => ({ commandId: "", deadline: Date.now() + 30_000 })

const loaded = async ({ agent }: WithVault, token?: string): Promise<string> => {
  const ask = asHolder(service, token ?? (await issueToken(service, agent.id)))
  const { ephemeral_public_key, open } = await oneTimeKey()
  const answer = await ask("POST", `${VAULT}/service/key`, { ephemeral_public_key })
  return Buffer.from(open(dataOf<{ readonly sealed_key: string }>(answer).sealed_key)).toString("base64")
}

it("without it entries are written and filled; a new vault has its key once it is back", async () => {
  const of = await withVault(service)
  const ask = asHolder(service, await issueToken(service, of.agent.id))
  await service.system.keeper?.stop()
  const { id } = dataOf<{ readonly id: number }>(
    await of.client.call("POST", `${VAULT}/entries`, { body: await sealedEntry(of) })
  )
  const wanted = { entry_id: id, action: "login", origin: "https://shop.example" }
  expect(outcome(await ask("POST", `${VAULT}/service/fill`, wanted))).toBe("200")
  const other = await anAgent(service.edges)
  expect(dataOf<Vault>(await other.client.call("POST", VAULT, { body: {} })).status).toBe("pending_key")
  await service.system.keeper?.restart()
  await waitFor(async () => dataOf<Vault>(await other.client.call("GET", VAULT)).status === "active", {
    describe: "the vault's key is made"
  })
})

/** A vault's private key as it is stored. */
const sealedKey = async ({ vault }: WithVault): Promise<string> => {
  const wanted = { last_by_subj: subjects.vaultKey(vault.uid) }
  const kept = await service.view.manager.streams.getMessage(streams.vaultKeys, wanted)
  return kept?.json<{ readonly sealed: string }>().sealed ?? ""
}

it("brings keys under another HUB_VAULT_KEY while the service runs; the former one opens nothing then", async () => {
  const of = await withVault(service)
  const before = await loaded(of)
  const former = await sealedKey(of)
  expect(await foundIn(service, [former])).toHaveLength(1)
  await restarted({ HUB_VAULT_KEY: SECOND, HUB_VAULT_KEY_FORMER: FIRST })
  expect(await operate(service.system, ["vault", "rewrap"])).toMatch(/^[1-9]\d* keys were brought/)
  expect(await operate(service.system, ["vault", "rewrap"])).toMatch(/^0 keys were brought/)
  expect(await sealedKey(of)).not.toBe(former)
  expect(await foundIn(service, [former])).toEqual([])
  await restarted({ HUB_VAULT_KEY: SECOND })
  expect(await loaded(of)).toBe(before)
})

it("draws a token for whom an operator names, alone on the last line", async () => {
  const of = await withVault(service)
  const said = await operate(service.system, ["vault", "token", of.agent.handle])
  const token = said.trim().split("\n").at(-1) ?? ""
  expect(token).toMatch(/^hxv_/)
  expect(await loaded(of, token)).toHaveLength(44)
})

it("answers a request for a token that is repeated with the same token, which gives the key once", async () => {
  const of = await withVault(service)
  const ask = () => issueToken(service, of.agent.id, "operator", "one request")
  const [token, again] = await Promise.all([ask(), ask()])
  expect([again, await ask()]).toEqual([token, token])
  expect(await loaded(of, token)).toHaveLength(44)
  // Once more changes nothing of a token that was used.
  expect(await ask()).toBe(token)
  await expect(loaded(of, token)).rejects.toThrow("vault_key_taken")
  const next = await issueToken(service, of.agent.id)
  expect(next).not.toBe(token)
  expect(await loaded(of, next)).toHaveLength(44)
  await expect(loaded(of, token)).rejects.toThrow("token_invalid")
})

it("refuses a late repeat of a request for a token that a newer one has replaced", async () => {
  const vault = await withVault(service)
  const issue = (request: string) => issueToken(service, vault.agent.id, "operator", request)
  const first = await issue("request-one")
  expect(await issue("request-one")).toBe(first)
  const second = await issue("request-two")
  await expect(issue("request-one")).rejects.toThrow()
  expect(await loaded(vault, second)).not.toBe("")
})

/** The tokens of these answers that serve a fill service: it may read entries, and it gets the vault's key. */
const working = async (of: WithVault, tokens: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const ok: Array<string> = []
  for (const token of tokens) {
    const entries = await asHolder(service, token)("GET", `${VAULT}/service/entries`)
    const key = await loaded(of, token).catch(() => "")
    if (entries.status === 200 && key !== "") ok.push(token)
  }
  return ok
}

it("returns a token that works, however many requests for one place come at once", async () => {
  const of = await withVault(service)
  for (let round = 0; round < 15; round++) {
    const asked = await Promise.allSettled(Array.from({ length: 3 }, () => issueToken(service, of.agent.id)))
    const tokens = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
    expect(await working(of, tokens), `${tokens.length} tokens of round ${round}`).toHaveLength(1)
  }
})

it("refuses a token that a newer one has replaced, for the same one-time key too", async () => {
  const of = await withVault(service)
  const token = await issueToken(service, of.agent.id)
  const input = { agent: of.agent.id, token, ephemeral_public_key: (await oneTimeKey()).ephemeral_public_key }
  // The edge would refuse the token before the keeper is asked.
  const load = (): Promise<string> =>
    Effect.runPromise(
      Effect.match(viewsOver(machineClock, service.view.nats).query(inTime(), "keeper_key", input), {
        onSuccess: () => "given",
        onFailure: ({ code }) => code
      })
    )
  expect([await load(), await load()]).toEqual(["given", "given"])
  await issueToken(service, of.agent.id)
  expect(await load()).toBe("token_invalid")
})
