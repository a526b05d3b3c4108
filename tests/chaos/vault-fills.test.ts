/**
 * Fill services flood two edges while the actor process of their vault dies (spec 4.12; contract 17): no card is filled
 * above its limits, every fill that was answered stands in the journal once, results count once, and after a revocation
 * nothing leaves any more.
 */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { streams, subjects } from "../../schemas/subjects.ts"
import { minorOf } from "../../schemas/vault/money.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { type NodeControl, waitFor } from "../harness/index.ts"
import { breath } from "../support/breath.ts"
import type { Answer } from "../support/http.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { rounds } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"
import { PRODUCT_DEADLINE, type TestService, testService } from "../support/service.ts"
import {
  asHolder,
  eventsOfVault,
  issueToken,
  journalOf,
  persistently,
  sealedEntry,
  VAULT,
  withVault
} from "../support/vault.ts"
import { homeOf, isSettled, sessionOf } from "./verdict.ts"

const ROUNDS = rounds(1)
const ACTORS = 2
const CLIENTS = 120
const TURNS = 3
const SHOP = "https://shop.example"
const FILL = `${VAULT}/service/fill`

/** `most`: of a payment that is asked for; the first and the third end at their sum, the second at its count. */
const CARDS = [
  { most: 50, limits: { currency: "EUR", per_payment: "50", per_day: "300.50", fills_per_day: 20 } },
  { most: 200, limits: { currency: "EUR", per_payment: "1000", per_day: "2000", fills_per_day: 9 } },
  { most: 500, limits: { currency: "JPY", per_payment: 500, per_day: 1999, fills_per_day: 20 } }
] as const

let service: TestService

beforeAll(async () => {
  const limits = {
    ...PRODUCT_DEADLINE,
    "service.vault.pending_max": 1000,
    // The floods are those of an agent that is established.
    "service.answer_new_agent_parts": 1,
    // However slow the machine is: no fill expires, so that whatever was opened counts.
    "vault.fill_pending_seconds": 86_400
  }
  service = await testService({ processes: true, edges: 2, actors: ACTORS, keeper: true, limits })
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "two actor nodes with shards" })
})
afterAll(() => service?.stop())

interface Opened {
  readonly fill_id: number
  readonly ciphertext: string
}

const withToken = async () => {
  const of = await withVault(service)
  const once = asHolder(service, await issueToken(service, of.agent.id))
  return { ...of, once, ask: persistently(once) }
}
type Vault = Awaited<ReturnType<typeof withToken>>

const withCards = async () => {
  const of = await withToken()
  const cards = []
  for (const { limits, most } of CARDS) {
    const body = await sealedEntry(of, { kind: "card", origins: [SHOP], limits })
    const { id } = dataOf<VaultEntry>(await of.client.call("POST", `${VAULT}/entries`, { body }))
    cards.push({ of, id, limits, most, ciphertext: body.ciphertext })
  }
  return { ...of, cards }
}

const homeNode = async ({ agent }: Vault): Promise<NodeControl> => {
  for (const node of service.system.actors)
    if ((await sessionOf(service.view, node.pid)) === homeOf(service.view, agent.id)) return node
  throw new Error("nobody is home to the vault")
}

/** The vault's home dies as soon as so many were answered, and comes back. */
const dying = async (of: Vault, answered: () => number, after: number): Promise<void> => {
  const victim = await waitFor(() => homeNode(of), { describe: "the vault's home" })
  await waitFor(() => answered() >= after, { describe: `${after} answers` })
  await victim.kill()
  await victim.restart()
}

test("no card is filled above its limits, and what was answered stands in the journal once", async () => {
  const random = seeded("fills under kills")
  for (let round = 0; round < ROUNDS; round++) {
    const vaults = [await withCards(), await withCards()] as const
    const cards = vaults.flatMap((one) => one.cards)
    const asked: Array<{ readonly card: (typeof cards)[number]; readonly answer: Answer }> = []
    const pays = async (): Promise<void> => {
      for (let turn = 0; turn < TURNS; turn++) {
        const card = random.pick(cards)
        const wanted = {
          entry_id: card.id,
          action: "pay",
          origin: SHOP,
          amount: random.between(1, card.most),
          currency: card.limits.currency
        }
        const key = randomUUID()
        const pay = () => card.of.ask("POST", FILL, wanted, key)
        // Sent twice at once, it is one fill.
        const [answer, twin] = await Promise.all([pay(), random.chance(0.3) ? pay() : null])
        if (twin !== null) expect(twin.text.replace(/"meta".*/, "")).toBe(answer.text.replace(/"meta".*/, ""))
        asked.push({ card, answer })
        if (random.chance(0.3)) expect(outcome(await pay())).toBe(outcome(answer))
      }
    }
    const kill = dying(vaults[round % 2 === 0 ? 0 : 1], () => asked.length, CLIENTS / 2)
    await Promise.all([kill, ...Array.from({ length: CLIENTS }, pays)])

    for (const of of vaults) {
      const own = asked.filter(({ card }) => card.of.agent.id === of.agent.id)
      const opened = await eventsOfVault(service.view, of.agent.id, "vault.fill_opened")
      const passed = own.filter(({ answer }) => answer.status === 200)
      const fills = passed.map(({ answer }) => dataOf<Opened>(answer).fill_id)
      // Each answer is of a fill of its own, and no fill is there that nobody was answered.
      expect(opened.map(({ fill }) => fill)).toEqual(fills.toSorted((a, b) => a - b))
      for (const { card, answer } of passed) expect(dataOf<Opened>(answer).ciphertext).toBe(card.ciphertext)
      const refused = own.filter(({ answer }) => answer.status !== 200).map(({ answer }) => outcome(answer))
      expect([...new Set(refused)].toSorted()).toEqual(["403 amount_over_day", "403 fills_over_day"])
      // A day's refusal may pass, so a repeat that comes after PASSING_MS, as on a slow machine, is judged again.
      const refusals = await eventsOfVault(service.view, of.agent.id, "vault.fill_refused")
      expect(refusals.length).toBeGreaterThanOrEqual(refused.length)
      const journal = await waitFor(async () => {
        const lines = (await journalOf(of)).filter(({ event }) => event === "fill" || event === "refusal")
        return lines.length === opened.length + refusals.length ? lines : null
      })
      expect(journal.filter(({ event }) => event === "fill")).toHaveLength(fills.length)
      for (const { id, limits } of of.cards) {
        const days = Map.groupBy(
          opened.filter(({ entry }) => entry === id),
          ({ day }) => day
        )
        expect(days.size).toBeGreaterThan(0)
        for (const ones of days.values()) {
          const sum = ones.reduce((minor, one) => minor + (one.minor ?? 0), 0)
          expect(sum).toBeLessThanOrEqual(minorOf(limits.per_day, limits.currency) ?? 0)
          expect(ones.length).toBeLessThanOrEqual(limits.fills_per_day)
        }
      }
    }
  }
})

test("a result counts once, though it is told twice over a takeover; its fill opens no more", async () => {
  const of = await withToken()
  const body = await sealedEntry(of)
  const { id } = dataOf<VaultEntry>(await of.client.call("POST", `${VAULT}/entries`, { body }))
  const wanted = { entry_id: id, action: "login", origin: SHOP }
  const keys = Array.from({ length: CLIENTS }, () => randomUUID())
  const fills = await Promise.all(
    keys.map(async (key) => dataOf<Opened>(await of.ask("POST", FILL, wanted, key)).fill_id)
  )
  let answered = 0
  const tells = async (fill: number, index: number): Promise<void> => {
    const status = index % 3 === 0 ? "failed" : "done"
    const key = randomUUID()
    const tell = () => of.ask("POST", `${FILL}/${fill}/result`, { status }, key)
    const answers = await Promise.all([tell(), tell()])
    answered++
    for (const answer of [...answers, await tell()])
      expect(dataOf(answer)).toEqual({ fill_id: fill, status, late: false })
    expect(outcome(await of.ask("POST", `${FILL}/${fill}/result`, { status: "done" }, randomUUID()))).toBe(
      "404 not_found"
    )
  }
  await Promise.all([dying(of, () => answered, CLIENTS / 4), ...fills.map(tells)])
  const ended = await eventsOfVault(service.view, of.agent.id, "vault.fill_ended")
  expect(ended.map(({ fill }) => fill).toSorted((a, b) => a - b)).toEqual(fills.toSorted((a, b) => a - b))
  expect(dataOf(await of.client.retrying("GET", `${VAULT}/entries/${id}`))).toMatchObject({
    uses: ended.filter(({ status }) => status === "done").length
  })
  for (const key of keys.slice(0, 10)) expect(outcome(await of.ask("POST", FILL, wanted, key))).toBe("404 not_found")
  expect(await eventsOfVault(service.view, of.agent.id, "vault.fill_opened")).toHaveLength(CLIENTS)
})

test("after a revocation no ciphertext leaves, none is left, and the journal stays", async () => {
  const of = await withToken()
  const body = await sealedEntry(of)
  const { id } = dataOf<VaultEntry>(await of.client.call("POST", `${VAULT}/entries`, { body }))
  const wanted = { entry_id: id, action: "login", origin: SHOP }
  const since = { revoked: false }
  let answered = 0
  const fills: Array<number> = []
  /** Whoever began after the revocation was answered. */
  const after: Array<string> = []
  const floods = async (): Promise<void> => {
    for (;;) {
      const begins = since.revoked
      const answer = await of.ask("POST", FILL, wanted, randomUUID())
      if (answer.status === 200) fills.push(dataOf<Opened>(answer).fill_id)
      answered++
      if (begins) after.push(`${outcome(answer)} ${answer.text.includes("hxv1.")}`)
      if (begins) return
    }
  }
  const writes = async (): Promise<void> => {
    while (!since.revoked) {
      await of.ask("POST", `${VAULT}/entries`, await sealedEntry(of), randomUUID())
      await breath()
    }
  }
  const revokes = async (): Promise<void> => {
    await waitFor(() => answered > CLIENTS, { describe: "fills" })
    const options = { body: { confirm: "revoke" }, idempotencyKey: randomUUID() }
    expect(dataOf(await of.client.retrying("POST", `${VAULT}/revoke`, options))).toMatchObject({ revoked: true })
    since.revoked = true
  }
  await Promise.all([
    revokes(),
    dying(of, () => answered, CLIENTS),
    ...Array.from({ length: 8 }, writes),
    ...Array.from({ length: CLIENTS / 2 }, floods)
  ])
  expect(new Set(after)).toEqual(new Set(["401 token_invalid false"]))
  const kept = async (stream: string, filter: string): Promise<number> =>
    Object.keys((await service.view.manager.streams.info(stream, { subjects_filter: filter })).state.subjects ?? {})
      .length
  await waitFor(async () => (await kept(streams.vaultKeys, subjects.vaultKey(of.vault.uid))) === 0, {
    describe: "the key is erased"
  })
  await waitFor(async () => (await kept(streams.vault, subjects.vaultOf(of.agent.id, of.vault.uid))) === 0, {
    describe: "the ciphertexts are erased"
  })
  const opened = new Set((await eventsOfVault(service.view, of.agent.id, "vault.fill_opened")).map(({ fill }) => fill))
  expect(fills.filter((fill) => !opened.has(fill))).toEqual([])
  const journal = await waitFor(async () => {
    const lines = await journalOf(of)
    return lines[0]?.event === "revoked" ? lines : null
  })
  expect(journal.filter(({ event }) => event === "fill")).toHaveLength(opened.size)
})
