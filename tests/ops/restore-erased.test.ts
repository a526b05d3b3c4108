/** A vault, an entry or a mailbox that ended between the cut of the log and that of its keys is ended after the restore. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { backup } from "../../ops/backup/backup.ts"
import type { Mailbox } from "../../schemas/mail/records.ts"
import { keyPairOfSeed } from "../../schemas/signing/seed.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { archiveOf, connectTo, waitFor } from "../harness/index.ts"
import { type Desk, operated } from "../support/operator.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"
import { asHolder, issueToken, sealedEntry, VAULT } from "../support/vault.ts"
import { FILL, journal, login, ownedVault, written } from "../support/vault-owner.ts"

const DOMAIN = "mail.hub.example"
const BOXES = "/api/v1/email/mailboxes"
const PATIENT_MS = 60_000

let service: TestService
let desk: Desk
let nats: NatsConnection
let manager: JetStreamManager
const seed = randomBytes(32)

beforeAll(async () => {
  const serverKey = seed.toString("base64")
  service = await testService({
    processes: true,
    edges: 1,
    actors: 1,
    keeper: true,
    mail: DOMAIN,
    env: { HUB_SERVER_KEY: serverKey, HUB_MAIL_ABUSE_CONTACT: "abuse@hub.example" }
  })
  desk = {
    natsUrl: service.system.nats.url,
    databaseUrl: service.system.postgres.url,
    serverKey,
    archive: archiveOf(service.system)
  }
  nats = await connectTo(service.system.nats.url)
  manager = await jetstreamManager(nats, { timeout: PATIENT_MS })
})
afterAll(async () => {
  await nats?.close()
  await service?.stop()
})

/** A connection on which the copy of HUB_AUDIT, which comes after that of the log, waits for `gate`. */
const gated = (gate: () => Promise<unknown>): NatsConnection =>
  new Proxy(nats, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== "function") return value
      if (key !== "request") return value.bind(target)
      return async (subject: string, ...rest: ReadonlyArray<unknown>) => {
        if (subject === `$JS.API.STREAM.SNAPSHOT.${streams.audit}`) await gate()
        return value.call(target, subject, ...rest)
      }
    }
  })

/** Backs up, with `meanwhile` between the cut of the log and those of the keys, and restores. */
const restoredWith = async (name: string, meanwhile: () => Promise<unknown>): Promise<void> => {
  const folder = join(service.system.folder, "backups", name)
  await backup(folder, {
    nats: gated(meanwhile),
    manager,
    serviceKey: Buffer.from(keyPairOfSeed(seed).publicKey).toString("base64"),
    signal: new AbortController().signal,
    progress: () => undefined
  })
  const { actors, keeper, mail, edges } = service.system
  const nodes = [...actors, keeper, mail, ...edges]
  for (const node of nodes) await node?.kill()
  await operated(desk, ["restore", folder, "--replace"])
  for (const node of nodes) await node?.restart()
}

const nothingAt = (stream: string, subject: string) =>
  waitFor(
    async () => {
      const { state } = await manager.streams.info(stream, { subjects_filter: subject })
      return Object.keys(state.subjects ?? {}).length === 0
    },
    { describe: `nothing at ${subject}`, deadlineMs: PATIENT_MS }
  )

test("a vault that was revoked is revoked, and an entry that was deleted is gone", async () => {
  const revoked = await ownedVault(service)
  await written(revoked, { label: "Bank" }, null)
  const kept = await ownedVault(service)
  const deleted = await written(kept, { label: "Bank" }, null)
  const library = await written(kept, { label: "Library" }, null)
  await restoredWith("vaults", async () => {
    dataOf(await revoked.client.call("POST", `${VAULT}/revoke`, { body: { confirm: "revoke" } }))
    dataOf(await kept.client.call("DELETE", `${VAULT}/entries/${deleted.id}`))
    await nothingAt(streams.vaultKeys, subjects.vaultKey(revoked.vault.uid))
    await waitFor(
      async () => {
        const { state } = await manager.streams.info(streams.vault, {
          subjects_filter: subjects.vaultOf(kept.agent.id, kept.vault.uid)
        })
        return Object.keys(state.subjects ?? {}).length === 1
      },
      { describe: "one ciphertext", deadlineMs: PATIENT_MS }
    )
  })
  const look = async (of: typeof kept) => dataOf<{ status: string }>(await of.client.retrying("GET", VAULT)).status
  expect(await look(revoked)).toBe("revoked")
  expect(await look(kept)).toBe("active")
  const entry = { body: await sealedEntry(revoked) }
  expect(outcome(await revoked.client.call("POST", `${VAULT}/entries`, entry))).toBe("409 vault_not_active")
  const entries = dataOf<ReadonlyArray<VaultEntry>>(await kept.client.call("GET", `${VAULT}/entries`))
  expect(entries.map(({ id }) => id)).toEqual([library.id])
  const lines = await waitFor(
    async () => {
      const all = await journal(kept)
      return all.some(({ event }) => event === "entry_deleted") ? all : null
    },
    { describe: "the journal", deadlineMs: PATIENT_MS }
  )
  expect(lines.find(({ event }) => event === "entry_deleted")).toMatchObject({ actor: "service", entry_id: deleted.id })
  const ask = asHolder(service, await issueToken(service, kept.agent.id))
  expect((await ask("POST", FILL, login(library))).status).toBeLessThan(300)
  expect(outcome(await ask("POST", FILL, login(deleted)))).toBe("404 entry_unknown")
})

test("a mailbox that was closed is closed, and its agent opens it anew", async () => {
  const [one, other] = [await anAgent(service.edges), await anAgent(service.edges)]
  const opened = async ({ client }: typeof one) => dataOf<Mailbox>(await client.call("POST", BOXES, { body: {} }))
  const box = await opened(one)
  const kept = await opened(other)
  await restoredWith("mailboxes", async () => {
    dataOf(await one.client.call("DELETE", `${BOXES}/${box.id}`, { body: { confirm: "delete" } }))
    await nothingAt(streams.mailKeys, subjects.mailKey(String(box.id)))
  })
  const list = async ({ client }: typeof one) =>
    dataOf<ReadonlyArray<Mailbox>>(await client.retrying("GET", BOXES)).map(({ id }) => id)
  expect(await list(one)).toEqual([])
  expect(await list(other)).toEqual([kept.id])
  const anew = await opened(one)
  expect(anew.address).toBe(box.address)
  expect(await list(one)).toEqual([anew.id])
})
