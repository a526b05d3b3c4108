/** Who may allow fills of an entry, as the owners of its agent come and go (contract 22). */
import { PASSING_MS } from "../../actors/engine/remembered.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { VAULT_SERVICE_LIMITS } from "../../schemas/vault/limits.ts"
import type { AskedFill, VaultEntry } from "../../schemas/vault/records.ts"
import { movableClock, waitFor } from "../harness/index.ts"
import { noticeOf } from "../html/owner/client.ts"
import { lettersTo } from "../support/outbox.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { newOwner, provenOwner, type TestOwner } from "../support/owner.ts"
import { type TestService, testService } from "../support/service.ts"
import { answer, anAgent } from "../support/sponsorship.ts"
import { Telegram } from "../support/telegram.ts"
import { openVault, sealedEntry, VAULT } from "../support/vault.ts"
import { FILL, journal, login, SHOP, type OwnedVault, ownedVault, writing, written } from "../support/vault-owner.ts"

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const clock = movableClock()
let service: TestService
let telegram: Telegram
/** Made before the clock is moved: letters go by the time of the machine. */
let waiting: OwnedVault
let judged: OwnedVault
let newcomer: TestOwner
beforeAll(async () => {
  telegram = await Telegram.open()
  // Clients sign by the machine's clock.
  const limits = { "authentication.timestamp_skew_seconds": 1_000_000_000, "rate_limits.sponsorship.requests": 1000 }
  service = await testService({ edges: 1, actors: 1, keeper: true, clock, env: telegram.env, limits })
  waiting = await ownedVault(service)
  judged = await ownedVault(service)
  newcomer = await provenOwner(service)
})
afterAll(async () => {
  await service?.stop()
  await telegram?.stop()
})

const asked = async ({ ask }: OwnedVault, entry: VaultEntry): Promise<number> => {
  const fill = await ask("POST", FILL, login(entry))
  expect(outcome(fill)).toBe("202")
  return dataOf<AskedFill>(fill).fill_id
}
const statusOf = async ({ ask }: OwnedVault, fill: number): Promise<number> =>
  (await ask("GET", `${FILL}/${fill}`)).status

/** Whether the page of the agent shows fills that wait for this owner. */
const sees = async (of: OwnedVault, owner: TestOwner): Promise<boolean> =>
  (await owner.client.get(owner.page(of))).text.includes("It needs your consent")
/** Whether the page of all agents does, once it knows of the fill: `first` is somebody who may allow it. */
const seesAtHome = async (owner: TestOwner, first: TestOwner): Promise<boolean> => {
  const shows = async ({ client }: TestOwner) =>
    (await client.get("/owner")).text.includes("A fill waits for your consent")
  await waitFor(() => shows(first))
  return shows(owner)
}

/** The owner's own browser sends the form of a fill with a token that another owner's page would have. */
const allows = async (of: OwnedVault, fill: number, owner: TestOwner): Promise<string> => {
  const [page, like] = [owner.page(of), { fill: String(fill) }]
  return noticeOf(await owner.client.follow(await owner.client.fill(page, { act: "allow" }, `${page}/consents`, like)))
}
/** What the vault itself says, whatever the pages show. */
const tapped = (of: OwnedVault, fill: number, { id: human }: TestOwner): Promise<string> =>
  service.view.command("vault.consent", of.agent.id, { human, fill, allow: true }).then(
    () => "allowed",
    (refused: unknown) => String(refused)
  )

const judges = async (of: OwnedVault, by: TestOwner, sponsorship: number, act: "approve" | "object") => {
  const action = `${by.page(of)}/owners/${sponsorship}`
  return noticeOf(await by.client.follow(await by.client.fill(by.page(of), { act }, action)))
}

test("the holder of the key gives itself no consent by a person of its own", async () => {
  const of = await ownedVault(service)
  const entry = await written(of)
  const own = await provenOwner(service)
  await own.carries(of)
  const fill = await asked(of, entry)
  expect([await sees(of, of.owner), await sees(of, own)]).toEqual([true, false])
  expect([await seesAtHome(own, of.owner), await seesAtHome(of.owner, of.owner)]).toEqual([false, true])
  expect(await tapped(of, fill, own)).toContain("There is no such fill")
  expect(await statusOf(of, fill)).toBe(202)
  expect(await allows(of, fill, of.owner)).toBe("You have allowed it.")
  expect(await statusOf(of, fill)).toBe(200)
})

test("each owner's pages name all who may allow fills of an entry", async () => {
  const of = await ownedVault(service)
  const [earlier, later] = [await provenOwner(service), await provenOwner(service)]
  await of.owner.client.change("rename", { name: "Honest" })
  await earlier.client.change("rename", { name: "Mallory" })
  await earlier.carries(of)
  await written(of)
  await later.client.change("rename", { name: "Later" })
  await later.carries(of)
  const words = async ({ client }: TestOwner, path: string): Promise<string> =>
    /Each use waits for an owner\. ([^<]*(?:<[^>]*>[^<]*)*?)<\/p>/
      .exec((await client.get(path)).text)?.[1]
      ?.replace(/<[^>]*>/g, "") ?? ""
  for (const path of [of.owner.page(of), "/owner/vault"])
    expect(await words(of.owner, path)).toBe("It may be allowed by: you, Mallory.")
  expect(await words(earlier, earlier.page(of))).toBe("It may be allowed by: you, Honest.")
  expect(await words(later, later.page(of))).toBe("It may be allowed by: Honest, Mallory.")
})

test("without an owner with a verified address no entry with consent is written", async () => {
  const of = await openVault(await anAgent(service.edges))
  const outcomes = async () => {
    const refused = await writing(of, {}, "owner")
    return [outcome(refused), detailsOf(refused)["field"]]
  }
  expect(await outcomes()).toEqual(["409 owner_none", "consent"])
  await (await newOwner(service.edges)).carries(of)
  expect(await outcomes()).toEqual(["409 owner_none", "consent"])
  await (await provenOwner(service)).carries(of)
  expect((await writing(of, {}, "owner")).status).toBe(201)
})

test("earlier owners hear of a later one by letter and chat; a link shows it, and only its button objects", async () => {
  const of = await ownedVault(service)
  const chat = 7_000_000_000_021
  const [, code = ""] =
    /<code>\/start ([\w-]+)<\/code>/.exec((await of.owner.client.change("offer_chat", {})).text) ?? []
  telegram.write(chat, `/start ${code}`)
  await telegram.heard(chat, "This chat is linked.")
  const later = await provenOwner(service)
  await later.client.change("rename", { name: "Mallory" })
  const id = await later.carries(of)
  const path = `${of.owner.page(of)}/owners/${id}`
  const letter = await waitFor(async () =>
    (await lettersTo(service, of.owner.client.email)).find((one) => one.includes("has another owner"))
  )
  expect(letter).toContain(path)
  expect(letter).not.toContain("Mallory")
  expect((await telegram.heard(chat, `News of ${of.agent.handle}`)).text).toContain(path)
  expect((await lettersTo(service, later.client.email)).some((one) => one.includes("has another owner"))).toBe(false)

  const page = await of.owner.client.get(path)
  expect(page.text).toContain("Mallory")
  expect(page.text.split("<button").length - 1).toBe(2)
  expect([
    (await later.client.get(path)).status,
    (await (await newOwner(service.edges)).client.get(path)).status
  ]).toEqual([404, 404])
  const objected = await of.owner.client.fill(path, {}, path)
  expect(noticeOf(await of.owner.client.follow(objected))).toContain("You have objected")
  expect((await of.owner.client.get(path)).text.split("<button").length - 1).toBe(1)
})

test("a later owner allows fills once an earlier one has approved, and none after an objection", async () => {
  const of = await ownedVault(service)
  const entry = await written(of)
  const later = await provenOwner(service)
  const id = await later.carries(of)
  const fill = await asked(of, entry)
  expect(await judges(of, of.owner, id, "approve")).toContain("You have approved")
  expect(await sees(of, later)).toBe(true)
  expect(await judges(of, of.owner, id, "object")).toContain("You have objected")
  expect(await tapped(of, fill, later)).toContain("There is no such fill")
  expect(await judges(of, of.owner, id, "approve")).toContain("You have approved")
  expect(await allows(of, fill, later)).toBe("You have allowed it.")
  expect(await statusOf(of, fill)).toBe(200)
})

test("an entry whose owner has left is written again for those of the day, in a new box alone", async () => {
  const of = await ownedVault(service)
  const body = { ...(await sealedEntry(of)), consent: "owner" }
  const entry = dataOf<VaultEntry>(await of.client.call("POST", `${VAULT}/entries`, { body }))
  await of.owner.leaves(of)
  const later = await provenOwner(service)
  await later.carries(of)
  expect(outcome(await of.ask("POST", FILL, login(entry)))).toBe("409 owner_none")
  dataOf(await of.client.call("DELETE", `${VAULT}/entries/${entry.id}`))
  expect(outcome(await of.client.call("POST", `${VAULT}/entries`, { body }))).toBe("409 owner_none")
  const fill = await asked(of, await written(of))
  expect(await allows(of, fill, later)).toBe("You have allowed it.")
})

/** An agent whose owner was there first, an entry of that time, and the sponsorship of a later owner. */
const withLater = async () => {
  const of = await ownedVault(service)
  const entry = await written(of)
  const sponsorships = dataOf<ReadonlyArray<{ readonly id: number }>>(
    await of.client.call("GET", "/api/v1/me/sponsorships")
  )
  const later = await provenOwner(service)
  return { of, entry, first: sponsorships[0]?.id ?? 0, later, id: await later.carries(of) }
}

// The bus keeps timers by the time of the machine: whatever a letter has to be sent for comes before the clock is moved.
test("a later owner is heard after seven days, not if an owner objected whom the key's holder had removed at once", async () => {
  const [silent, removed] = [await withLater(), await withLater()]
  dataOf(await answer(removed.of, removed.first, "reject"))
  await removed.of.owner.isGone(removed.of)
  await waitFor(async () =>
    (await lettersTo(service, removed.of.owner.client.email)).find((one) => one.includes("has another owner"))
  )
  const path = `${removed.of.owner.page(removed.of)}/owners/${removed.id}`
  expect((await removed.of.owner.client.fill(path, {}, path)).status).toBe(303)

  clock.move(WEEK_MS)
  const fill = await asked(silent.of, silent.entry)
  expect(await allows(silent.of, fill, silent.later)).toBe("You have allowed it.")
  expect(await statusOf(silent.of, fill)).toBe(200)
  expect(outcome(await removed.of.ask("POST", FILL, login(removed.entry)))).toBe("409 owner_none")
})

/** The same request under one Idempotency-Key, as often as it is called. */
const repeated = (of: OwnedVault, path: string, body: object) => (): Promise<string> =>
  of.ask("POST", path, body, { "idempotency-key": "again" }).then(outcome)

test("a result refused for want of its owner's word is judged anew behind it, under the same Idempotency-Key", async () => {
  const of = judged
  const fill = await asked(of, await written(of))
  const end = repeated(of, `${FILL}/${fill}/result`, { status: "done" })
  expect(await end()).toBe("409 consent_pending")
  expect(await allows(of, fill, of.owner)).toBe("You have allowed it.")
  clock.move(PASSING_MS + 1)
  expect(await end()).toBe("200")
})

test("an entry refused for want of an owner is written once there is one, under the same Idempotency-Key", async () => {
  const of = await openVault(await anAgent(service.edges))
  const body = { ...(await sealedEntry(of)), consent: "owner" }
  const write = async () => outcome(await of.client.call("POST", `${VAULT}/entries`, { body, idempotencyKey: "again" }))
  expect(await write()).toBe("409 owner_none")
  await newcomer.carries(of)
  clock.move(PASSING_MS + 1)
  expect(await write()).toBe("201")
})

test("a fill refused for other fills or its day is judged anew under the same Idempotency-Key, and kept once opened", async () => {
  const of = waiting
  const [entry, card] = [await written(of), await written(of, { kind: "card" }, null)]
  const pay = { entry_id: card.id, action: "pay", origin: SHOP, amount: "45", currency: "EUR" }
  expect(outcome(await of.ask("POST", FILL, pay))).toBe("200")
  expect(outcome(await of.ask("POST", FILL, pay, { "idempotency-key": "pay" }))).toBe("403 amount_over_day")
  for (let open = 0; open < VAULT_SERVICE_LIMITS.asked_max; open++) await asked(of, entry)
  const fill = repeated(of, FILL, login(entry))
  expect([await fill(), await fill()]).toEqual(["409 fills_pending_full", "409 fills_pending_full"])
  clock.move(DAY_MS)
  expect([await fill(), await fill()]).toEqual(["202", "202"])
  expect(outcome(await of.ask("POST", FILL, pay, { "idempotency-key": "pay" }))).toBe("200")
  const opened = (await journal(of)).filter(({ event }) => event === "fill")
  expect(opened).toHaveLength(VAULT_SERVICE_LIMITS.asked_max + 3)
})
