/** A restore lets no fill of the time since the backup, or of before, give anything out. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { archiveOf, waitFor } from "../harness/index.ts"
import { type Desk, operated } from "../support/operator.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { Telegram } from "../support/telegram.ts"
import { asHolder, issueToken, VAULT } from "../support/vault.ts"
import { FILL, login, ownedVault, SHOP, written } from "../support/vault-owner.ts"

let service: TestService
let telegram: Telegram
let desk: Desk

beforeAll(async () => {
  const serverKey = randomBytes(32).toString("base64")
  telegram = await Telegram.open()
  service = await testService({
    processes: true,
    edges: 1,
    actors: 1,
    keeper: true,
    env: { HUB_SERVER_KEY: serverKey, ...telegram.env }
  })
  desk = {
    natsUrl: service.system.nats.url,
    databaseUrl: service.system.postgres.url,
    serverKey,
    archive: archiveOf(service.system)
  }
})
afterAll(async () => {
  await service?.stop()
  await telegram?.stop()
})

const restored = async (folder: string): Promise<void> => {
  const nodes = [...service.system.actors, service.system.keeper, ...service.system.edges]
  for (const node of nodes) await node?.kill()
  await operated(desk, ["restore", folder, "--replace", "--gap", "0"])
  for (const node of nodes) await node?.restart()
}

const backedUp = async (name: string): Promise<string> => {
  const folder = join(service.system.folder, "backups", name)
  await operated(desk, ["backup", folder])
  return folder
}

test("the button of a fill that the restore has lost allows no other fill", async () => {
  const of = await ownedVault(service)
  const chat = 7_000_000_000_011
  const page = await of.owner.client.change("offer_chat", {})
  const [, code = ""] = /<code>\/start ([\w-]+)<\/code>/.exec(page.text) ?? []
  telegram.write(chat, `/start ${code}`)
  await telegram.heard(chat, "This chat is linked.")
  const library = await written(of, { label: "Library" })
  const bank = await written(of, { label: "Bank" })
  const folder = await backedUp("consent")
  const lost = dataOf<{ fill_id: number }>(await of.ask("POST", FILL, login(library)))
  const question = await telegram.heard(chat, `Fill ${lost.fill_id} of`)
  await restored(folder)
  const ask = asHolder(service, await issueToken(service, of.agent.id))
  const other = dataOf<{ fill_id: number }>(await ask("POST", FILL, login(bank)))
  expect(other.fill_id).toBeGreaterThan(lost.fill_id)
  await waitFor(() => telegram.to(chat).some(({ text }) => text.includes("Bank")), { describe: "the new question" })
  const { length } = telegram.pressed
  telegram.press(question, question.buttons[0]?.callback_data ?? "")
  await waitFor(() => telegram.pressed.length > length, { describe: "an answer to the old button" })
  expect((await ask("GET", `${FILL}/${other.fill_id}`)).status).toBe(202)
})

test("card fills that were open at the backup are over, with and without consent", async () => {
  const of = await ownedVault(service)
  const bank = await written(of, { kind: "card", label: "Bank" })
  const plain = await written(of, { kind: "card", label: "Plain" }, null)
  const pay = (id: number) => ({ entry_id: id, action: "pay", origin: SHOP, amount: "10.00", currency: "EUR" })
  const asked = dataOf<{ fill_id: number }>(await of.ask("POST", FILL, pay(bank.id)))
  const open = dataOf<{ fill_id: number }>(await of.ask("POST", FILL, pay(plain.id)))
  const folder = await backedUp("cards")
  dataOf(await of.ask("POST", `${FILL}/${open.fill_id}/result`, { status: "done" }))
  await restored(folder)
  const ask = asHolder(service, await issueToken(service, of.agent.id))
  for (const { fill_id } of [asked, open]) {
    const answer = await ask("GET", `${FILL}/${fill_id}`)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).not.toContain("hxv1.")
  }
  expect(outcome(await ask("POST", FILL, pay(plain.id)))).toBe("403 fills_over_day")
  const journal = await waitFor(
    async () => {
      const rows = dataOf<ReadonlyArray<{ status: string | null }>>(await of.client.call("GET", `${VAULT}/log`))
      return rows.some(({ status }) => status === "pending") ? null : rows
    },
    { describe: "a journal without open fills" }
  )
  expect(journal.filter(({ status }) => status === "expired")).toHaveLength(2)
})
