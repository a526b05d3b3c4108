/**
 * Secrets are planted through every door of a vault that takes one, every operation is run, an actor and an edge die and
 * come back, a backup is made: then nothing of them is found, in no form, in the memory of any process of the service,
 * in its files, streams, tables, logs, metrics, traces, backup and answers. Nor are the private keys of the vaults and
 * HUB_VAULT_KEY, but with the keeper. What the service may know is found by the same search.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { once } from "node:events"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openEntry } from "../../edge/sdk/vault/seal.ts"
import { backup as takeBackup } from "../../ops/backup/backup.ts"
import { servicePublicKey } from "../../ops/backup/service-key.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { familyOf, FORMS, foundInBytes, foundInMemory, needlesOf } from "../support/canary.ts"
import { type Collector, startCollector } from "../support/collector.ts"
import type { Answer } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { keptBy, type Place } from "../support/planted.ts"
import { TEST_SERVER_KEY, type TestService, testService } from "../support/service.ts"
import {
  asHolder,
  issueToken,
  LIMITS_OF_CARD,
  oneTimeKey,
  persistently,
  sealedEntry,
  VAULT,
  type Wanted,
  type WithVault,
  withVault
} from "../support/vault.ts"

const SHOP = "https://shop.example"
const FILL = `${VAULT}/service/fill`
/** In every secret, and in what the service may know. */
const [SECRET, CLEAR] = [randomBytes(18).toString("hex"), randomBytes(18).toString("hex")]
const VAULT_KEY = randomBytes(32)

let service: TestService
let collector: Collector
let backup: string
const answers: Array<string> = []

beforeAll(async () => {
  collector = await startCollector()
  service = await testService({
    processes: true,
    edges: 2,
    actors: 2,
    keeper: true,
    env: {
      HUB_VAULT_KEY: VAULT_KEY.toString("base64"),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: "1"
    }
  })
  backup = join(await testFolder("canary"), "backup")
})
afterAll(async () => {
  await service?.stop()
  await collector?.stop()
})

let planted = 0
const secret = (): string => `${SECRET}-${planted++}`

const heard = (answer: Answer): Answer => {
  answers.push(answer.text, JSON.stringify(answer.headers))
  return answer
}

const asAgent = async ({ client }: WithVault, method: string, path: string, body?: object): Promise<Answer> =>
  heard(await client.retrying(method, `${VAULT}${path}`, body === undefined ? {} : { body }))

const asToken = (token: string) => {
  const ask = persistently(asHolder(service, token))
  return async (path: string, body: object, key = randomUUID()): Promise<Answer> =>
    heard(await ask("POST", path, body, key))
}

/** What each kind is filled with, and what its entry holds. */
const KINDS: ReadonlyArray<{ readonly action: string; readonly wanted: () => Wanted; readonly more?: object }> = [
  {
    action: "login",
    wanted: () => ({ kind: "login", fields: { username: secret(), password: secret(), totp: secret() } })
  },
  {
    action: "login",
    wanted: () => ({ kind: "login", fields: { passkey: { credential_id: secret(), private_key: secret() } } })
  },
  { action: "secret", wanted: () => ({ kind: "secret", fields: { value: secret() } }) },
  { action: "signup", wanted: () => ({ kind: "profile", fields: { email: secret(), name: secret() } }) },
  {
    action: "pay",
    wanted: () => ({ kind: "card", fields: { number: secret(), cvc: secret() } }),
    more: { amount: "10", currency: "EUR" }
  }
]

interface Key {
  readonly public_key: Uint8Array
  readonly private_key: Uint8Array
}

/** As a fill service does; asked for twice, and for another one-time key. */
const loaded = async (token: string): Promise<Key> => {
  const [{ ephemeral_public_key, open }, other] = [await oneTimeKey(), await oneTimeKey()]
  const ask = asToken(token)
  await ask(`${VAULT}/service/key`, { ephemeral_public_key })
  const answer = await ask(`${VAULT}/service/key`, { ephemeral_public_key })
  const { sealed_key, public_key } = dataOf<{ readonly sealed_key: string; readonly public_key: string }>(answer)
  const taken = await ask(`${VAULT}/service/key`, { ephemeral_public_key: other.ephemeral_public_key })
  expect(outcome(taken)).toBe("409 vault_key_taken")
  return { public_key: Buffer.from(public_key, "base64"), private_key: open(sealed_key) }
}

/** By its agent, by a source and by its fill service. */
const plantedIn = async (of: WithVault, token: string) => {
  const label = `Shop ${CLEAR}`
  const made = dataOf<{ readonly token: string }>(
    await of.client.call("POST", `${VAULT}/sources`, { body: { label, kinds: ["login", "card"] } })
  )
  const writers = [
    async (body: object) => asAgent(of, "POST", "/entries", body),
    async (body: object) => asToken(made.token)(`${VAULT}/entries`, body),
    async (body: object) => asToken(token)(`${VAULT}/entries`, { ...body, unconfirmed: true })
  ]
  const entries: Array<{ readonly id: number; readonly action: string; readonly more: object }> = []
  for (const write of writers)
    for (const { action, wanted, more = {} } of KINDS) {
      const answer = await write(await sealedEntry(of, { ...wanted(), label }))
      if (outcome(answer) === "403 vault_kind_not_allowed") continue
      entries.push({ id: dataOf<VaultEntry>(answer).id, action, more })
    }
  return { entries, source: made.token }
}

/** Opens all entries but the profile that another has taken the place of: what is planted is there. */
const fills = async (token: string, key: Key, { entries }: Awaited<ReturnType<typeof plantedIn>>): Promise<number> => {
  const ask = asToken(token)
  let opened = 0
  for (const { id, action, more } of entries) {
    const wanted = { entry_id: id, action, origin: SHOP, ...more }
    const twice = randomUUID()
    const answer = await ask(FILL, wanted, twice)
    if (answer.code === "entry_unknown") continue
    const { ciphertext, fill_id } = dataOf<{ readonly ciphertext: string; readonly fill_id: number }>(answer)
    expect(JSON.stringify(await openEntry(ciphertext, key))).toContain(SECRET)
    expect(outcome(await ask(FILL, wanted, twice))).toBe("200")
    await ask(`${FILL}/${fill_id}/result`, { status: opened % 2 === 0 ? "done" : "failed", filled: [] })
    opened++
  }
  return opened
}

/** Every other operation, and what each is refused with. */
const theRest = async (of: WithVault, token: string, entry: number): Promise<void> => {
  const ask = asToken(token)
  const card = await sealedEntry(of, { kind: "card", fields: { number: secret() } })
  const { id } = dataOf<VaultEntry>(await asAgent(of, "POST", "/entries", card))
  await asAgent(of, "POST", "/entries", card)
  await asAgent(of, "POST", "/entries", { ...card, uid: randomUUID(), ciphertext: "hxv1.AAAA" })
  await asAgent(of, "PATCH", `/entries/${id}`, { limits: { ...LIMITS_OF_CARD, per_payment: 20 } })
  await asAgent(of, "PATCH", `/entries/${id}`, { limits: { ...LIMITS_OF_CARD, per_payment: 21 } })
  for (const path of ["", "/entries", `/entries/${id}`, "/sources", "/log?per_page=100"]) await asAgent(of, "GET", path)
  for (const more of [
    { entry_id: 999, action: "login" },
    { entry_id: entry, action: "pay", amount: 1, currency: "EUR" },
    { entry_id: entry, action: "login", origin: "https://evil.example" },
    { entry_id: id, action: "pay", amount: 21, currency: "EUR" },
    { entry_id: id, action: "pay", amount: 1, currency: "USD" }
  ])
    expect((await ask(FILL, { origin: SHOP, ...more })).status).toBeGreaterThanOrEqual(400)
  await ask(`${FILL}/999/result`, { status: "done" })
  await asToken(`${token.slice(0, -1)}x`)(FILL, { entry_id: entry, action: "login", origin: SHOP })
  expect(outcome(await asAgent(of, "DELETE", `/entries/${id}`))).toBe("200")
}

const backedUp = async (): Promise<void> => {
  const { nats, manager } = service.view
  const serviceKey = servicePublicKey({ HUB_SERVER_KEY: TEST_SERVER_KEY })
  const signal = new AbortController().signal
  await takeBackup(backup, { nats, manager, serviceKey, signal, progress: () => undefined })
}

/** Everything of the service that is no process. */
const placesOf = async (): Promise<ReadonlyArray<Place>> => [
  ...(await keptBy(service, [service.system.folder, backup])),
  ["traces", Buffer.from(collector.raw.join("\n"))],
  ["answers", Buffer.from(answers.join("\n"))]
]

type Needles = ReturnType<typeof needlesOf>

const inPlaces = async (needles: Needles): Promise<ReadonlyArray<string>> =>
  (await placesOf()).flatMap(([where, bytes]) =>
    foundInBytes(bytes, needles).map(({ what, form }) => `${what} (${form}) in ${where}`)
  )

const inMemory = (name: string, root: number | null | undefined, needles: Needles): ReadonlyArray<string> => {
  expect(root).toBeTypeOf("number")
  const looked = familyOf(root ?? 0).map((pid) => foundInMemory(pid, needles, pid === root))
  expect(looked.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(1_000_000)
  return looked.flatMap(({ found }) => found.map(({ what, form }) => `${what} (${form}) in the memory of ${name}`))
}

/** Of those that serve agents. */
const inNodes = (needles: Needles): ReadonlyArray<string> => {
  const { edges, actors } = service.system
  return [
    ...edges.flatMap(({ pid }, index) => inMemory(`edge ${index}`, pid, needles)),
    ...actors.flatMap(({ pid }, index) => inMemory(`actor ${index}`, pid, needles))
  ]
}

/** Of all processes but the keeper. */
const inProcesses = (needles: Needles): ReadonlyArray<string> => [
  ...inNodes(needles),
  ...inMemory("nats", service.system.nats.pid, needles),
  ...inMemory("postgres", service.system.postgres.pid, needles)
]

test("a process that holds a text in any form is found by it", async () => {
  // Some of it is `+` and `/` in base64.
  const text = `${randomBytes(18).toString("hex")}~~~???>>>`
  const needles = needlesOf("a text", text)
  // What is short stays where it was made: each form in a buffer of its own, and nothing said before all are there.
  const program = `process.stdin.once("data", (d) => { const t = d.toString("latin1"); globalThis.held = [
    Buffer.from(t), Buffer.from(t, "utf16le"), Buffer.from(d.toString("hex")), Buffer.from(Buffer.from("x" + t).toString("base64")),
    Buffer.from(Buffer.from("xy" + t + "?>").toString("base64url"))]; d.fill(0); process.stdout.write("held") })
    setInterval(() => globalThis.held, 1000)`
  const child: ChildProcess = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] })
  try {
    const before = foundInMemory(child.pid ?? 0, needles)
    child.stdin?.write(text)
    await once(child.stdout ?? child, "data")
    const { found } = foundInMemory(child.pid ?? 0, needles)
    expect(before.found).toEqual([])
    expect([...new Set(found.map(({ form }) => form))].toSorted()).toEqual([...FORMS].toSorted())
  } finally {
    child.kill("SIGKILL")
    await once(child, "exit")
  }
})

test("secrets and keys are nowhere but where they belong; what is no secret is found", async () => {
  const [of, revoked] = [await withVault(service), await withVault(service)]
  const tokens = [await issueToken(service, of.agent.id), await issueToken(service, revoked.agent.id)] as const
  const keys = [await loaded(tokens[0]), await loaded(tokens[1])] as const
  const first = await plantedIn(of, tokens[0])
  const other = await plantedIn(revoked, tokens[1])
  expect(await fills(tokens[0], keys[0], first)).toBe(first.entries.length - 1)
  await fills(tokens[1], keys[1], other)
  await theRest(of, tokens[0], first.entries[0]?.id ?? 0)
  expect(outcome(await asAgent(revoked, "POST", "/revoke", { confirm: "revoke" }))).toBe("200")
  await operate(service.system, ["vault", "rewrap"])
  for (const node of [service.system.actors[0], service.system.edges[0]]) {
    await node?.kill()
    await node?.restart()
  }
  const after = await waitFor(async () => issueToken(service, of.agent.id), { describe: "another token" })
  await fills(after, await loaded(after), first)
  await backedUp()

  const needles = [
    ...needlesOf("a secret", SECRET),
    ...keys.flatMap(({ private_key }) => needlesOf("a private key", Buffer.from(private_key))),
    ...needlesOf("HUB_VAULT_KEY", VAULT_KEY)
  ]
  expect([...inProcesses(needles), ...(await inPlaces(needles))]).toEqual([])
  const ofTokens = [...tokens, after, first.source, other.source].flatMap((token) => needlesOf("a token", token))
  expect((await inPlaces(ofTokens)).filter((one) => !one.endsWith("answers"))).toEqual([])

  const known = needlesOf("a label", CLEAR)
  const found = [...inNodes(known), ...(await inPlaces(known))].map((one) => one.split(" in ")[1] ?? "")
  expect(found.some((one) => /^the memory of (?:edge|actor)/.test(one))).toBe(true)
  for (const place of [/^streams$/, /^answers$/, /^file \S+nats\S+HUB_EVENTS/, /^file \S+backup/])
    expect(
      found.filter((one) => place.test(one)),
      String(place)
    ).not.toEqual([])
  // With the keeper are its key, and no private key for longer than it is sealed.
  const kept = inMemory("the keeper", service.system.keeper?.pid, needles)
  expect(kept).toContain("HUB_VAULT_KEY (base64) in the memory of the keeper")
  expect(kept.filter((one) => one.startsWith("a secret"))).toEqual([])
  console.log(`kept by the keeper: ${kept.join("; ")}`)
})
