/** What a vault tells its agent, and by it the owners, over two edges (contract 17). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AskedFill } from "../../schemas/vault/records.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { type TestService, sharedService } from "../support/service.ts"
import { told } from "../support/sponsorship.ts"
import { issueToken, oneTimeKey, VAULT, type WithVault } from "../support/vault.ts"
import { FILL, login, ownedVault, SHOP, written } from "../support/vault-owner.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService({
    keeper: true,
    limits: {
      "rate_limits.sponsorship.requests": 1000,
      "service.vault.alert_seconds": 3600,
      "vault.fill_pending_seconds": 2
    }
  })
})
afterAll(() => service?.stop())

describe("an alert", () => {
  const alerts = async ({ client }: WithVault) =>
    dataOf<ReadonlyArray<{ readonly type: string; readonly payload: Readonly<Record<string, unknown>> }>>(
      await client.call("GET", "/api/v1/me/notifications")
    )
      .filter(({ type }) => type === "vault.alert")
      .map(({ payload }) => payload)

  it("tells of a refusal over a limit, once a minute; of sealed fields that differ; of a key, of a token that has ended", async () => {
    const of = await ownedVault(service)
    const card = await written(of, { kind: "card", origins: [], label: "Visa" }, null)
    const pay = { entry_id: card.id, action: "pay", origin: SHOP, amount: "50.01", currency: "EUR" }
    expect(outcome(await of.ask("POST", FILL, pay))).toBe("403 amount_over_payment")
    expect(outcome(await of.ask("POST", FILL, pay))).toBe("403 amount_over_payment")
    const entry = await written(of, {}, null)
    const { fill_id } = dataOf<AskedFill>(await of.ask("POST", FILL, login(entry)))
    await of.ask("POST", `${FILL}/${fill_id}/result`, { status: "failed", code: "sealed_mismatch" })
    const { ephemeral_public_key } = await oneTimeKey()
    await of.ask("POST", `${VAULT}/service/key`, { ephemeral_public_key })
    await issueToken(service, of.agent.id)
    expect(outcome(await of.ask("GET", `${VAULT}/service/entries`))).toBe("401 token_invalid")
    const all = await waitFor(async () => {
      const found = await alerts(of)
      return found.length >= 4 ? found : null
    })
    expect(all.map(({ event, entry_id, code }) => [event, entry_id, code]).toSorted()).toEqual([
      ["key_loaded", null, null],
      ["refusal", card.id, "amount_over_payment"],
      ["sealed_mismatch", entry.id, "sealed_mismatch"],
      ["token_ended", null, null]
    ])
    // The vault remembers which token it was; nobody else learns its hash.
    expect(all.filter((payload) => "hash" in payload)).toEqual([])
    expect(all.find(({ event }) => event === "refusal")).toMatchObject({
      label: "Visa",
      origin: SHOP,
      amount: "50.01",
      currency: "EUR"
    })
  })

  it("tells of a result that came too late", async () => {
    const of = await ownedVault(service)
    const card = await written(of, { kind: "card", origins: [] }, null)
    const pay = { entry_id: card.id, action: "pay", origin: SHOP, amount: "5", currency: "EUR" }
    const { fill_id } = dataOf<AskedFill>(await of.ask("POST", FILL, pay))
    await waitFor(async () => ((await of.ask("GET", `${FILL}/${fill_id}`)).status === 409 ? true : null))
    expect(dataOf(await of.ask("POST", `${FILL}/${fill_id}/result`, { status: "done" }))).toMatchObject({ late: true })
    expect((await told(of, "vault.alert")).payload).toMatchObject({
      event: "late_fill",
      amount: "5.00",
      currency: "EUR"
    })
  })
})
