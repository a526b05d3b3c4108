/** The bytes of deleted entries and revoked vaults leave the disk while the stream keeps those of others (contract 22). */
import { afterAll, beforeAll, expect, test } from "vitest"
import { ciphertextsOf } from "../../actors/vault/ciphertexts.ts"
import { Effect } from "effect"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, sharedService } from "../support/service.ts"
import { sealedEntry, VAULT, type Wanted, type WithVault, withVault } from "../support/vault.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService({ keeper: true })
})
afterAll(() => service?.stop())

interface Written {
  readonly entry: number
  readonly body: Awaited<ReturnType<typeof sealedEntry>>
}

const written = async (of: WithVault, wanted: Wanted = {}, more: object = {}): Promise<Written> => {
  const body = { ...(await sealedEntry(of, wanted)), ...more }
  const { id: entry } = dataOf<VaultEntry>(await of.client.call("POST", `${VAULT}/entries`, { body }))
  return { entry, body }
}

const deleted = async (of: WithVault, { entry }: Written): Promise<void> =>
  expect(outcome(await of.client.call("DELETE", `${VAULT}/entries/${entry}`))).toBe("200")

/** Which of them a file, table or log still has. */
const kept = async (texts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const found = await foundIn(service, texts)
  return texts.filter((text) => found.some((one) => one.startsWith(text)))
}

const untilErased = (texts: ReadonlyArray<string>) =>
  waitFor(async () => ((await kept(texts)).length === 0 ? true : null), { describe: "no file has the bytes" })

test("a deleted entry's bytes are overwritten, and those around it stay", async () => {
  const [of, other] = [await withVault(service), await withVault(service)]
  const before = await written(other)
  const first = await written(of)
  const between = await written(other)
  const second = await written(of)
  const after = await written(other)
  const staying = [before, between, second, after].map(({ body }) => body.ciphertext)
  expect(await kept([...staying, first.body.ciphertext])).toHaveLength(5)
  await deleted(of, first)
  await untilErased([first.body.ciphertext])
  expect(await kept(staying)).toEqual(staying)
})

test("a revoked vault's entries and key are overwritten, and those of others stay", async () => {
  const [of, other] = [await withVault(service), await withVault(service)]
  const going: Array<string> = []
  const staying: Array<string> = []
  for (let n = 0; n < 4; n++) {
    going.push((await written(of)).body.ciphertext)
    staying.push((await written(other)).body.ciphertext)
  }
  const key = await service.view.manager.streams.getMessage(streams.vaultKeys, {
    last_by_subj: subjects.vaultKey(of.vault.uid)
  })
  const { sealed } = key?.json<{ readonly sealed: string }>() ?? { sealed: "" }
  expect(sealed).not.toBe("")
  expect(await kept([...going, ...staying, sealed])).toHaveLength(9)
  expect(outcome(await of.client.call("POST", `${VAULT}/revoke`, { body: { confirm: "revoke" } }))).toBe("200")
  await untilErased([...going, sealed])
  expect(await kept(staying)).toEqual(staying)
})

test("a profile's bytes are overwritten when a newer one takes its place", async () => {
  const [of, other] = [await withVault(service), await withVault(service)]
  const first = await written(of, { kind: "profile" })
  const beside = await written(other, { kind: "profile" })
  const second = await written(of, { kind: "profile" })
  await untilErased([first.body.ciphertext])
  const staying = [beside, second].map(({ body }) => body.ciphertext)
  expect(await kept(staying)).toEqual(staying)
})

test("bytes that two entries share are overwritten with the second, wherever they were written", async () => {
  const [of, other] = [await withVault(service), await withVault(service)]
  const first = await written(of)
  const beside = await written(other)
  const { ciphertext } = first.body
  const second = await written(of, {}, { ciphertext })
  await deleted(of, first)
  await waitFor(async () => ((await kept([ciphertext])).length === 1 ? true : null))
  await deleted(of, second)
  await untilErased([ciphertext])
  expect(await kept([beside.body.ciphertext])).toEqual([beside.body.ciphertext])
})

test("a ciphertext that is stored again leaves no second copy", async () => {
  const [of, other] = [await withVault(service), await withVault(service)]
  const store = ciphertextsOf(service.view.nats)
  const { ciphertext } = await sealedEntry(of)
  const [agent, uid] = [of.agent.id, of.vault.uid]
  const first = await Effect.runPromise(store.keep(agent, uid, ciphertext))
  await written(other)
  expect(await Effect.runPromise(store.keep(agent, uid, ciphertext))).toBe(first)
  expect(await Effect.runPromise(store.read(agent, uid, first))).toBe(ciphertext)
  await Effect.runPromise(store.erase(agent, uid, first))
  expect(await kept([ciphertext])).toEqual([])
})
