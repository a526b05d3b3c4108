/**
 * The disk of the log is full: no journal, so no ciphertext leaves and nothing is filled; what is there can be looked at,
 * and all goes on with the room (contract 9: the journal before the ciphertext).
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import type { TestService } from "../support/service.ts"
import { asHolder, eventsOfVault, issueToken, oneTimeKey, sealedEntry, VAULT, withVault } from "../support/vault.ts"
import { FLOOR_BYTES, giveRoom, smallDisk, STORE_BYTES, takeRoom } from "./small-disk.ts"

let service: TestService
beforeAll(async () => {
  service = await smallDisk({ keeper: true })
})
afterAll(() => service?.stop())

test("without room for the journal nothing is filled, written or loaded; with it all goes on", async () => {
  const of = await withVault(service)
  const ask = asHolder(service, await issueToken(service, of.agent.id))
  const write = async () => of.client.call("POST", `${VAULT}/entries`, { body: await sealedEntry(of) })
  const { id } = dataOf<VaultEntry>(await write())
  const fill = () =>
    ask("POST", `${VAULT}/service/fill`, { entry_id: id, action: "login", origin: "https://shop.example" })
  const open = dataOf<{ readonly fill_id: number }>(await fill()).fill_id
  const result = () => ask("POST", `${VAULT}/service/fill/${open}/result`, { status: "done" })
  const { ephemeral_public_key } = await oneTimeKey()
  const load = () => ask("POST", `${VAULT}/service/key`, { ephemeral_public_key })

  const refusesAll = async (): Promise<void> => {
    const before = await eventsOfVault(service.view, of.agent.id, "vault.fill_opened")
    for (const act of [fill, write, result, load]) {
      const answer = await act()
      expect([answer.status, /hxv1\.|sealed_key/.test(answer.text)]).toEqual([503, false])
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0)
    }
    expect(await eventsOfVault(service.view, of.agent.id, "vault.fill_opened")).toEqual(before)
    expect(dataOf(await ask("GET", `${VAULT}/service/entries`))).toHaveLength(1)
  }
  await takeRoom(service, (stored) => stored > STORE_BYTES - FLOOR_BYTES)
  await waitFor(async () => (await fill()).status === 503, { describe: "a fill to be refused" })
  await refusesAll()
  expect(dataOf(await of.client.call("GET", `${VAULT}/entries/${id}`))).toMatchObject({ id, uses: 0 })
  // To the last byte, whoever knows of it or not.
  await takeRoom(service, () => false)
  await refusesAll()

  await giveRoom(service)
  await waitFor(async () => outcome(await fill()) === "200", { describe: "a fill" })
  expect([outcome(await result()), outcome(await load()), outcome(await write())]).toEqual(["200", "200", "201"])
  // What was refused is no entry; of its ciphertexts none is read by anybody.
  const filter = { subjects_filter: subjects.vaultOf(of.agent.id, of.vault.uid) }
  const { state } = await service.view.manager.streams.info(streams.vault, filter)
  const listed = dataOf<ReadonlyArray<VaultEntry>>(await of.client.call("GET", `${VAULT}/entries`))
  expect(Object.keys(state.subjects ?? {}).length).toBeGreaterThanOrEqual(listed.length)
  expect(listed).toHaveLength(2)
})
