/**
 * Measures fills of cards with policy, journal and ciphertext: over HTTP with a fill service's token, and of the actors
 * alone over the bus. In the same run and with as many clients, it measures:
 *
 *  - a commit that an agent makes over HTTP
 *  - the smallest commit that a vault makes over the bus
 *  - the commit path alone
 */
import { createHash, randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { Effect } from "effect"
import { viewsOver } from "../../actors/engine/services.ts"
import { sealEntry } from "../../edge/sdk/vault/seal.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import type { Vault } from "../../schemas/vault/records.ts"
import { openService, type Service } from "../cli/connection.ts"
import { type BenchAgent, newAgent, register, signedHeaders, signedRequest } from "./agents.ts"
import { write as commits } from "./commits.ts"
import { sent, write } from "./content/writing.ts"
import { cpuOf } from "./cpu.ts"
import { type Case, type HttpOptions, measure, type Row, type Run, summarise } from "./http.ts"
import { BYPASS, type BenchStack, startService } from "./subjects-under-test.ts"

/** Each agent has a vault. Fills that run at once use many vaults, because commits of one actor follow each other. */
const AGENTS = 256
const ABREAST = 16
const CLIENTS = [64, 256]
const PLENTY = 1_000_000_000
const SHOP = "https://shop.example"
const DEADLINE_MS = 30_000
const BARE_COMMITS = 40_000
/** The hash of a token that does not exist. */
const NO_HASH = "0".repeat(64)

const LIMITS = {
  "vault.ceilings.per_payment": PLENTY,
  "vault.ceilings.per_day": PLENTY,
  "vault.ceilings.fills_per_day": PLENTY,
  "service.vault.pending_max": PLENTY
}

interface Filled {
  readonly agent: BenchAgent
  readonly id: string
  readonly uid: string
  readonly token: string
  readonly card: number
}

const own = async (baseUrl: string, agent: BenchAgent, path: string): Promise<unknown> =>
  sent(baseUrl + path, { headers: signedHeaders(agent, new URL(baseUrl).host, "GET", path, "") })

const withCard = async (baseUrl: string, { nats }: Service, index: number): Promise<Filled> => {
  const agent = newAgent()
  await register(baseUrl, agent, `bench-${index}`, BYPASS)
  const { id } = (await own(baseUrl, agent, "/api/v1/me")) as { readonly id: string }
  await write(baseUrl, agent, "/api/v1/vault", {})
  const look = async () => (await own(baseUrl, agent, "/api/v1/vault")) as Vault
  let vault = await look()
  for (const end = performance.now() + DEADLINE_MS; vault.public_key === null; vault = await look()) {
    if (performance.now() > end) throw new Error("a vault got no key")
    await delay(20)
  }
  const limits = { currency: "EUR", per_payment: 1000, per_day: PLENTY, fills_per_day: PLENTY }
  const [uid, kind] = [randomUUID(), "card"] as const
  const fields = { number: "4111111111111111", exp_month: "04", exp_year: "2031", cvc: "123", name: "Ada", limits }
  const sealed = { vault: vault.uid, public_key: vault.public_key, uid, kind, origins: [SHOP], fields }
  const entry = { uid, kind, origins: [SHOP], limits, ciphertext: await sealEntry(sealed) }
  const { id: card } = await write(baseUrl, agent, "/api/v1/vault/entries", entry)
  const asking = { commandId: "", deadline: Date.now() + DEADLINE_MS }
  const issued = viewsOver(machineClock, nats).query(asking, "keeper_issue", {
    agent: id,
    place: "bench",
    request: randomUUID()
  })
  return { agent, id, uid: vault.uid, token: (await Effect.runPromise(issued)).token, card }
}

const wantedOf = ({ card }: Filled) =>
  ({ entry_id: card, action: "pay", origin: SHOP, amount: "0.01", currency: "EUR" }) as const

const fillRequest = (host: string, one: Filled, more = ""): Buffer => {
  const body = JSON.stringify(wantedOf(one))
  return Buffer.from(
    `POST /api/v1/vault/service/fill HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${one.token}\r\n${more}` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

const requestsOf = (all: ReadonlyArray<Filled>): Readonly<Record<string, Case["request"]>> => {
  const byAgent = new Map(all.map((one) => [one.agent, one]))
  const of = (agent: BenchAgent): Filled => byAgent.get(agent) ?? (all[0] as Filled)
  return {
    fill: (agent, host) => fillRequest(host, of(agent)),
    "fill, key": (agent, host) => fillRequest(host, of(agent), `Idempotency-Key: ${randomUUID()}\r\n`),
    "PATCH /me": (agent, host, index) =>
      signedRequest(agent, host, "PATCH", "/api/v1/me", JSON.stringify({ description: `Version ${index}.` }))
  }
}

const overHttp = async (
  { measured }: BenchStack,
  all: ReadonlyArray<Filled>,
  options: HttpOptions,
  clients: number
): Promise<ReadonlyArray<Row>> => {
  const agents = all.map(({ agent }) => agent)
  const runs = new Map<string, Array<Run>>()
  for (let round = 0; round <= options.rounds; round++)
    for (const [name, request] of Object.entries(requestsOf(all))) {
      const run = await measure(
        measured,
        { title: name, clients, request, subjects: [measured] },
        agents,
        round === 0 ? 1 : options.seconds
      )
      if (round > 0) runs.set(name, [...(runs.get(name) ?? []), run])
    }
  return [...runs].map(([name, ones]) => summarise(name, ones, options.verificationUs))
}

interface Rate {
  readonly perSecond: number
  /** Microseconds of CPU time for one operation, of the actor process, or of this one for the bare commit path. */
  readonly cpuUs: number
}

const rateTable = (name: string, rates: ReadonlyArray<Rate>): string => {
  const middle = (pick: (rate: Rate) => number) => rates.map(pick).toSorted((a, b) => a - b)[rates.length >> 1] ?? 0
  return `  ${name.padEnd(22)} ${middle(({ perSecond }) => perSecond).toFixed(0)}/s, ${middle(({ cpuUs }) => cpuUs).toFixed(0)} us of CPU in the node each`
}

/** Asks one node from this process for `seconds`, with `clients` askers at once. Each waits for its answer. */
const overBus = async (
  stack: BenchStack,
  clients: number,
  seconds: number,
  ask: (client: number) => Promise<unknown>
): Promise<Rate> => {
  const pids = stack.measured.processes()["actors"] ?? []
  const [began, before] = [performance.now(), cpuOf(pids)]
  let count = 0
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (; performance.now() < began + seconds * 1000; count++) await ask(client)
    })
  )
  return { perSecond: (count * 1000) / (performance.now() - began), cpuUs: (cpuOf(pids) - before) / count }
}

const bare = async ({ log }: Service, clients: number, round: number): Promise<Rate> => {
  const [began, before] = [performance.now(), process.cpuUsage()]
  await commits(log, `bare-${clients}-${round}`, BARE_COMMITS, clients)
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - began) / 1000
  return { perSecond: BARE_COMMITS / seconds, cpuUs: (user + system) / BARE_COMMITS }
}

const atTheNode = async (
  stack: BenchStack,
  view: Service,
  all: ReadonlyArray<Filled>,
  { rounds, seconds }: HttpOptions,
  clients: number,
  say: (line: string) => void
): Promise<void> => {
  const rates = { fill: Array<Rate>(), smallest: Array<Rate>(), bare: Array<Rate>() }
  const hashes = all.map(({ token }) => createHash("sha256").update(token).digest("hex"))
  const of = (client: number): Filled => all[client % all.length] as Filled
  const fill = (client: number) =>
    view.command("vault.fill", of(client).id, { hash: hashes[client % all.length] ?? "", wanted: wantedOf(of(client)) })
  const smallest = (client: number) =>
    view.command("vault.admit_service", of(client).id, { uid: of(client).uid, place: "another", hash: NO_HASH })
  for (let round = 0; round < rounds; round++) {
    rates.fill.push(await overBus(stack, clients, seconds, fill))
    rates.smallest.push(await overBus(stack, clients, seconds, smallest))
    rates.bare.push(await bare(view, clients, round))
  }
  say(`\nat one node, by ${clients} that ask over the bus`)
  say(rateTable("vault.fill", rates.fill))
  say(rateTable("vault.admit_service", rates.smallest))
  say(rateTable("bare commit path", rates.bare))
}

export const vaultCases = async (
  options: HttpOptions,
  table: (title: string, rows: ReadonlyArray<Row>) => void,
  say: (line: string) => void
): Promise<void> => {
  const stack = await startService(options.edges, 1, { keeper: true, limits: LIMITS })
  const { nats, postgres } = stack.stack
  const view = await openService({ HUB_NATS_URL: nats.operatorUrl, HUB_DATABASE_URL: postgres.url })
  try {
    const all: Array<Filled> = []
    while (all.length < AGENTS) {
      const some = Array.from({ length: ABREAST }, (_, index) => withCard(stack.baseUrl, view, all.length + index))
      all.push(...(await Promise.all(some)))
    }
    for (const clients of CLIENTS) {
      const title = `fills with a token, ${clients} clients`
      if (!title.includes(options.filter)) continue
      table(title, await overHttp(stack, all, options, clients))
      await atTheNode(stack, view, all, options, clients, say)
    }
  } finally {
    await view.close()
    await stack.stop()
  }
}
