/** A vault whose entries are more than one message of the bus holds: its owner and its fill service see all of it. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import { dataOf, outcome } from "../support/outcome.ts"
import { type TestService, sharedService } from "../support/service.ts"
import { sealedEntry, VAULT } from "../support/vault.ts"
import { ownedVault } from "../support/vault-owner.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService({ keeper: true })
})
afterAll(() => service?.stop())

const ENTRIES = 210
const AT_ONCE = 15
/** 20 for each entry, of 290 characters: together more than 1 MB. */
const origins = (entry: number): ReadonlyArray<string> =>
  Array.from({ length: 20 }, (_, n) => `https://${`e${entry}n${n}.`.padEnd(274, `${"a".repeat(50)}.`)}.example`)

it("shows all entries on the owner's page, and names all to the fill service", async () => {
  const of = await ownedVault(service)
  const { ciphertext } = await sealedEntry(of)
  const ids: Array<number> = []
  for (let from = 0; from < ENTRIES; from += AT_ONCE) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        of.client.retrying("POST", `${VAULT}/entries`, {
          body: { uid: randomUUID(), kind: "login", origins: origins(from + n), ciphertext }
        })
      )
    )
    expect(answers.map(outcome)).toEqual(answers.map(() => "201"))
    ids.push(...answers.map((answer) => dataOf<{ readonly id: number }>(answer).id))
  }
  const fillable = await of.ask("GET", `${VAULT}/service/entries`)
  expect(fillable.status).toBe(200)
  expect(dataOf<ReadonlyArray<{ readonly id: number }>>(fillable).map(({ id }) => id)).toEqual(
    ids.toSorted((one, other) => one - other)
  )
  const { text } = await of.owner.client.get(of.owner.page(of))
  const shown = [...text.matchAll(/ id="entry-(\d+)"/g)].map(([, id]) => Number(id))
  expect(shown).toEqual(ids.toSorted((one, other) => other - one))
})
