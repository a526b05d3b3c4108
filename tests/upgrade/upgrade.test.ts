/**
 * What older releases have left, packed with each of them (`npm run fixture`): this release restores it, starts on it,
 * verifies it, answers as they did and goes on writing. Nothing here depends on the day: what has a time to live may be
 * gone from the backup, and every timer of it may fire at once.
 */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { jetstreamManager } from "@nats-io/jetstream"
import { Effect } from "effect"
import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { KINDS } from "../../actors/process/kinds.ts"
import { openDatabase } from "../../actors/tables/database.ts"
import { decodeEvent } from "../../actors/engine/events.ts"
import { nextSeq } from "../../actors/log/stream-pages.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import type { Projection } from "../../actors/projections/projection.ts"
import { rowOf } from "../../actors/projections/reading.ts"
import { openEntry } from "../../edge/sdk/vault/seal.ts"
import { keyPairOfSeed } from "../../schemas/signing/seed.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { restore } from "../../ops/backup/restore.ts"
import { rebuildCommand } from "../../ops/cli/rebuild.ts"
import { verifyCommand } from "../../ops/cli/verify.ts"
import { evolved, kindOf, stateProblem } from "../../ops/replay/fold.ts"
import { connectTo, testFolder, waitFor } from "../harness/index.ts"
import { noticeOf, OwnerClient } from "../html/owner/client.ts"
import { said } from "../ops/history.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { identityOf, newIdentity } from "../support/identity.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { rotate } from "../support/rotation.ts"
import { type TestService, testService } from "../support/service.ts"
import { asHolder, issueToken, oneTimeKey, sealedEntry, VAULT } from "../support/vault.ts"
import { FILL, SHOP } from "../support/vault-owner.ts"
import { ABSENT } from "./absent.ts"
import type { Expected, Read } from "./expected.ts"
import { allEntries, type Entry, entriesOf, LOG_FILE, TABLES_FILE } from "./log.ts"
import { releases, unpacked } from "./pack.ts"
import { pageAt } from "./stars.ts"
import { fill, madeAgain, type Rows } from "./tables.ts"

/** Numbers that each counter leaves out: the default is for services that went on after the backup. */
const GAP = 10

const RELEASES = await releases()

test("there is a fixture", () => {
  expect(RELEASES).not.toEqual([])
})

interface Past {
  readonly folder: string
  readonly expected: Expected
  readonly log: ReadonlyArray<Entry>
  readonly tables: Rows
}

const past = async (release: string): Promise<Past> => {
  const folder = join(await testFolder("upgrade"), "data")
  const expected = await unpacked(release, folder)
  const text = (name: string) => readFile(join(folder, name), "utf8")
  return {
    folder,
    expected,
    log: entriesOf(await text(LOG_FILE)),
    tables: JSON.parse(await text(TABLES_FILE)) as Rows
  }
}

const brought = async (of: Past, { operatorUrl, databaseUrl }: { operatorUrl: string; databaseUrl: string }) => {
  await madeAgain(databaseUrl, of.expected.migrations, of.tables)
  const nats = await connectTo(operatorUrl)
  try {
    const seed = Buffer.from(of.expected.keys["HUB_SERVER_KEY"] ?? "", "base64")
    await restore(of.folder, {
      nats,
      manager: await jetstreamManager(nats, { timeout: 60_000 }),
      databaseUrl,
      serviceKey: Buffer.from(keyPairOfSeed(seed).publicKey).toString("base64"),
      limits: LIMITS,
      replicas: null,
      gap: GAP,
      cards: false,
      replace: true,
      signal: new AbortController().signal,
      progress: () => undefined
    })
  } finally {
    await nats.close()
  }
  await withSnapshots(of, databaseUrl)
}

/** Of another fold: whoever reads it would be called so. */
const POISONED = "Of another fold"

/** As the older release left them, where their actors are still there; Ada's is of a fold that there never was. */
const withSnapshots = async ({ tables, expected: { ada } }: Past, databaseUrl: string): Promise<void> => {
  const db = openDatabase(databaseUrl)
  try {
    await fill(db, "snapshots", tables["snapshots"] ?? [])
    const { numUpdatedRows } = await db
      .updateTable("snapshots")
      .set({
        format: sql`format + 1`,
        state: sql`jsonb_set(state, '{name}', ${JSON.stringify(POISONED)})`
      })
      .where("kind", "=", "agent")
      .where("id", "=", ada.id)
      .executeTakeFirst()
    expect(numUpdatedRows).toBe(1n)
  } finally {
    await db.destroy()
  }
}

describe.each(RELEASES)("the data of %s", (release) => {
  let of: Past
  let service: TestService
  let owner: PersonClient
  let people: { readonly ada: AgentClient; readonly bob: AgentClient }
  const edge = (): string => service.edges[0] ?? ""

  beforeAll(async () => {
    of = await past(release)
    const { keys, mail, ada, bob } = of.expected
    service = await testService({
      edges: 1,
      actors: 1,
      keeper: true,
      mail,
      env: keys,
      filled: (servers) => brought(of, servers)
    })
    const client = (seed: string) => new AgentClient({ edge, identity: identityOf(Buffer.from(seed, "base64")) })
    people = { ada: client(ada.seed), bob: client(bob.seed) }
    // The session of the fixture has ended with the restore.
    owner = new PersonClient({ edge, ...of.expected.owner })
    dataOf(await owner.logIn())
  })
  afterAll(() => service?.stop())

  const ask = (as: Read["as"], method: string, path: string, body?: unknown): Promise<Answer> => {
    if (as === "ada" || as === "bob") return people[as].call(method, path, body === undefined ? {} : { body })
    const headers = as === "owner" ? { authorization: `Bearer ${owner.token}` } : {}
    return send({ edge: edge(), method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  }

  const isCaughtUp = async ({ name, stream, subjects }: Projection): Promise<boolean> => {
    const row = await rowOf(service.view.db, name)
    const next = (subject: string) => Effect.runPromise(nextSeq(service.view.nats, stream, row?.seq ?? 0, subject))
    return row !== undefined && (await Promise.all(subjects.map(next))).every((seq) => seq === null)
  }

  /** Every answer that differs, whole. */
  const answersEqual = async (): Promise<void> => {
    for (const { as, path, data } of of.expected.reads) {
      const answer = await ask(as, "GET", path)
      expect([outcome(answer), dataOf(answer)], `${path}, as ${as}`).toMatchObject(["200", data])
    }
  }

  test("knows every event that the release knew, and decodes and folds all of its log", () => {
    const known = KINDS.flatMap(({ fold }) => Object.entries(fold.events))
    const newest = new Map<string, number>(known)
    const forgotten = of.expected.events.filter((event) => {
      const [type = "", v] = event.split("@")
      return !((newest.get(type) ?? 0) >= Number(v))
    })
    expect(forgotten).toEqual([])
    const held = new Set(of.log.flatMap(({ commit }) => commit.events.map(({ type }) => type)))
    const lacking = of.expected.events.map((event) => event.split("@")[0] ?? "").filter((type) => !held.has(type))
    expect(lacking.filter((type) => !Object.hasOwn(ABSENT, type))).toEqual([])
    const states = new Map<string, unknown>()
    for (const { seq, kind, id, commit } of of.log) {
      const found = kindOf(kind)
      if (found === undefined) throw new Error(`#${seq}: there is no kind ${kind}`)
      for (const event of commit.events) if (found.events !== null) decodeEvent(kind, found.events, event)
      const key = `${kind} ${id}`
      states.set(key, evolved(found.fold, id, states.has(key) ? states.get(key) : found.fold.initial, { commit }))
    }
    const misshapen = [...states].flatMap(([key, state]) => {
      const problem = stateProblem(key.split(" ")[0] ?? "", state)
      return problem === null ? [] : [`${key}: ${problem}`]
    })
    expect(misshapen).toEqual([])
  })

  test("is restored as it was, and verified", async () => {
    const written = new Map(of.log.map(({ seq, ...entry }) => [seq, entry]))
    const last = of.log.at(-1)?.seq ?? 0
    const restored = (await allEntries(service.view)).filter(({ seq }) => seq <= last)
    expect(restored.length).toBeGreaterThan(0)
    for (const { seq, ...entry } of restored) expect(entry, `#${seq}`).toEqual(written.get(seq))
    // Postgres was emptied: the read models are made of the log alone.
    await waitFor(async () => !(await Promise.all(PROJECTIONS.map(isCaughtUp))).includes(false), {
      describe: "the read models to hold all of the log"
    })
    expect(await said(verifyCommand, service, [])).toMatch(/verified in [\d.]+ s$/)
    expect(await said(verifyCommand, service, [], { scores: true })).toMatch(/equal what the log makes$/)
  })

  test("answers as it did, by no snapshot of another fold", async () => {
    await answersEqual()
    for (const { as, path, ...stated } of of.expected.bytes) {
      const { bytes } = await ask(as, "GET", path)
      expect({ sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length }, path).toEqual(stated)
    }
    for (const [path, texts] of Object.entries(of.expected.pages)) {
      const text = await pageAt(edge(), path)
      for (const one of texts) expect(text, path).toContain(one)
      expect(text).not.toContain(POISONED)
    }
  })

  test("opens what was sealed in a vault", async () => {
    const { ada, entry } = of.expected
    const holder = asHolder(service, await issueToken(service, ada.id))
    const { ephemeral_public_key, open } = await oneTimeKey()
    const { sealed_key, public_key } = dataOf<{ readonly sealed_key: string; readonly public_key: string }>(
      await holder("POST", `${VAULT}/service/key`, { ephemeral_public_key })
    )
    const filled = dataOf<{ readonly fill_id: number; readonly ciphertext: string }>(
      await holder("POST", FILL, { entry_id: entry.id, action: "login", origin: SHOP })
    )
    expect(filled.ciphertext).toBe(entry.ciphertext)
    const keys = { public_key: Buffer.from(public_key, "base64"), private_key: open(sealed_key) }
    expect(await openEntry(filled.ciphertext, keys)).toMatchObject(entry.fields)
    dataOf(await holder("POST", `${FILL}/${filled.fill_id}/result`, { status: "done", filled: [] }))
  })

  test("goes on: what is written now stands beside what was", async () => {
    const { thread, mail, owner, ada } = of.expected
    const made = async (as: "ada" | "bob", path: string, body: object) =>
      dataOf<{ readonly id: number }>(await ask(as, "POST", `/api/v1${path}`, body)).id
    const post = await made("ada", "/posts", { title: "Later", body: "Written by a later release." })
    const reply = await made("ada", `/threads/${thread}/replies`, { body: "And by a later one." })
    const told = await made("bob", "/messages", { to: "ada", body: "Still there?" })
    const replies = dataOf<ReadonlyArray<{ readonly id: number }>>(
      await ask(null, "GET", `/api/v1/threads/${thread}/replies`)
    )
    expect(replies.map(({ id }) => id)).toContain(reply)
    expect((await ask(null, "GET", `/api/v1/posts/${post}`)).status).toBe(200)
    expect((await ask("ada", "GET", `/api/v1/messages/${told}`)).status).toBe(200)

    const vault = dataOf<{ readonly uid: string; readonly public_key: string }>(await ask("ada", "GET", VAULT))
    const written = await sealedEntry({ vault } as never)
    expect(outcome(await ask("ada", "POST", `${VAULT}/entries`, written))).toBe("201")
    await deliver(service.system.mail?.port ?? 0, {
      to: `ada@${mail}`,
      raw: message({ to: `ada@${mail}`, subject: "Later" })
    })
    await waitFor(async () => (await ask("ada", "GET", "/api/v1/email/messages")).text.includes("Later"), {
      describe: "mail that comes now"
    })

    const browser = Object.assign(new OwnerClient(edge), { email: owner.email, password: owner.password })
    expect((await browser.logIn()).status).toBe(303)
    expect((await browser.get("/owner")).text).toContain(ada.handle)
    const changed = "quite another of theirs"
    const answer = await browser.change("change_password", { password: owner.password, changed })
    expect([answer.status, noticeOf(await browser.follow(answer))]).toEqual([303, expect.stringContaining("password")])
    expect((await browser.another().logIn(changed)).status).toBe(303)

    const next = newIdentity()
    expect(outcome(await rotate(people.bob, of.expected.bob.id, next))).toBe("200")
    expect((await people.bob.call("GET", "/api/v1/me")).status).toBe(401)
    people = { ...people, bob: new AgentClient({ edge, identity: next }) }
    expect((await people.bob.call("GET", "/api/v1/me")).status).toBe(200)
  })

  test("is rebuilt and verified with what came since", async () => {
    await said(rebuildCommand, service, [])
    expect(await said(verifyCommand, service, [])).toMatch(/verified in [\d.]+ s$/)
  })
})
