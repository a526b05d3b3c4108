/** The archive of a log with three replicas: appends from several processes at once, and servers that fail meanwhile. */
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import type { Kysely } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { AppendResult } from "../../../actors/log/commit.ts"
import { ensureStreams } from "../../../actors/log/streams.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { drawPasswords } from "../../../ops/launcher/bus-users.ts"
import { findNatsServer } from "../../../ops/launcher/nats-binary.ts"
import { type RunningServer, startNats } from "../../../ops/launcher/nats.ts"
import { projectRoot } from "../../../ops/launcher/paths.ts"
import { drawPort } from "../../../ops/launcher/ports.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { freeze, type OpenServers, openServers, testFolder, waitFor } from "../../harness/index.ts"
import { connectTo } from "../../harness/tenants.ts"
import { commitOf, historyOf, idsIn, processOn, written } from "./processes.ts"

const COUNT = 3
let servers: OpenServers
let db: Kysely<Database>
let folder: string
let url: string
let names = 0
const members: Array<{ readonly name: string; server: RunningServer; readonly start: () => Promise<RunningServer> }> =
  []
const connections: Array<NatsConnection> = []

const connected = async (): Promise<NatsConnection> => {
  const nats = await connectTo(url, {
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    // A server that is frozen is left soon.
    pingInterval: 1000,
    maxPingOut: 2
  })
  connections.push(nats)
  return nats
}

let manager: JetStreamManager

beforeAll(async () => {
  servers = await openServers()
  db = openDatabase(servers.postgres.url)
  folder = await testFolder("archive-cluster")
  const binary = await findNatsServer({
    env: process.env,
    dataDir: join(projectRoot, ".hub"),
    progress: console.error
  })
  const passwords = drawPasswords()
  const [clients, routes]: [Array<number>, Array<number>] = [[], []]
  for (let index = 0; index < COUNT; index++) {
    clients.push(await drawPort())
    routes.push(await drawPort())
  }
  const all = routes.map((port) => `"nats-route://127.0.0.1:${port}"`).join(", ")
  await Promise.all(
    clients.map(async (port, index) => {
      const dataDir = join(folder, String(index))
      await mkdir(dataDir)
      const name = `member-${index}`
      const configExtra = `cluster { name: archive, listen: "127.0.0.1:${routes[index]}", no_advertise: true, routes: [${all}] }`
      const start = () =>
        startNats({ binary, dataDir, port, passwords, serverName: name, storeMaxBytes: 2 ** 36, configExtra })
      members.push({ name, server: await start(), start })
    })
  )
  url = clients.map((port) => `nats://operator:${passwords.operator}@127.0.0.1:${port}`).join(",")
  const nats = await connected()
  manager = await waitFor(() => ensureStreams(nats, LIMITS, COUNT), { describe: "streams" })
})
afterAll(async () => {
  await Promise.all(connections.map((one) => one.close()))
  await Promise.all(members.map(({ server }) => server.kill()))
  await db.destroy()
  await servers.stop()
  await rm(folder, { recursive: true, force: true })
})

const subject = () => subjects.event("test", `c${++names}`)
const aProcess = async () =>
  processOn({ nats: await connected(), manager, db, folder: join(folder, "archive"), replicated: true })

const reasons = (results: ReadonlyArray<AppendResult>) =>
  results.flatMap((result) => (result.ok ? [] : [result.reason]))

test("new subjects of several processes at once are all begun", async () => {
  const first = await aProcess()
  await written(first.log, subject(), ["a"])
  await first.run()
  const processes = [first, await aProcess(), await aProcess()]
  const rounds = processes.map(async ({ log }) => {
    /** Again while the archive's index does not answer in time: nothing is written then. */
    const begun = async (count: number): Promise<AppendResult> => {
      const group = Array.from({ length: count }, () => ({ subject: subject(), expected: 0, commit: commitOf("a") }))
      for (;;) {
        const result = await log.append(group)
        if (result.ok || result.reason !== "unasked") return result
      }
    }
    const results: Array<AppendResult> = []
    for (let round = 0; round < 30; round++)
      results.push(...(await Promise.all([...Array.from({ length: 5 }, () => begun(1)), begun(2)])))
    return results
  })
  expect(reasons((await Promise.all(rounds)).flat())).toEqual([])
})

/** Acknowledged commits of one subject, kept by its only writer. */
interface Ledger {
  readonly subject: string
  readonly ids: Array<string>
  last: number
}

const leader = async () => {
  const name = (await manager.streams.info(streams.events)).cluster?.leader
  const member = members.find((one) => one.name === name)
  if (member === undefined) throw new Error("the log has no leader")
  return member
}

/** Reads until the log answers. */
const answered = <A>(ask: () => Promise<A>): Promise<A> =>
  waitFor(async () => ({ value: await ask() }), { describe: "the log's answer" }).then(({ value }) => value)

const WRITERS = 3
const CLAIMS = 40

test("a leader that is killed or frozen while the log is archived costs no commit, and no claim is given twice", async () => {
  const processes = await Promise.all(Array.from({ length: WRITERS }, aProcess))
  const archiver = await aProcess()
  const ledgers: ReadonlyArray<Ledger> = processes.map(() => ({ subject: subject(), ids: [], last: 0 }))
  const claims = Array.from({ length: CLAIMS }, subject)
  const given = new Map<string, Array<string>>()
  const state = { isOver: false, isCalm: false, runs: 0 }
  const archiving = (async () => {
    while (!state.isOver)
      if (
        await archiver.run().then(
          (run) => run !== null && run.segments > 0,
          () => false
        )
      )
        state.runs++
  })()
  const chaos = (async () => {
    // An archive that covers some of what is written, and grows: without a leader no run ends well.
    await waitFor(() => state.runs > 0, { describe: "a run that archives" })
    const first = await waitFor(leader)
    await first.server.kill()
    first.server = await first.start()
    const second = await waitFor(leader)
    freeze(second.server.pid)
    // Another leads meanwhile.
    await waitFor(async () => (await leader()) !== second).finally(() => process.kill(second.server.pid, "SIGCONT"))
  })()
  void chaos.finally(() => (state.isCalm = true))
  const writing = processes.map(async ({ log }, index) => {
    const ledger = ledgers[index]
    if (ledger === undefined) throw new Error("each has one")
    const tried = new Map<string, string | undefined>()
    const taken = (id: string, seq: number): void => {
      ledger.ids.push(id)
      ledger.last = seq
      const claim = tried.get(id)
      if (claim !== undefined) given.set(claim, [...(given.get(claim) ?? []), id])
    }
    for (let round = 0; round < CLAIMS || !state.isCalm; round++) {
      const id = `${index}-${round}`
      const claim = round % 2 === index % 2 ? undefined : claims[round]
      tried.set(id, claim)
      const result = await log.append([
        { subject: ledger.subject, expected: ledger.last, commit: commitOf(id) },
        ...(claim === undefined ? [] : [{ subject: claim, expected: 0, commit: commitOf(id) }])
      ])
      if (result.ok) {
        taken(id, result.seqs[0] ?? 0)
        continue
      }
      // One whose outcome was unknown may have come late.
      const entry = await answered(() => log.last(ledger.subject))
      if (entry === null || entry.seq === ledger.last) continue
      expect([...tried.keys()]).toContain(entry.commit.id)
      expect(ledger.ids).not.toContain(entry.commit.id)
      taken(entry.commit.id, entry.seq)
    }
  })
  await Promise.all([...writing, chaos]).finally(() => (state.isOver = true))
  await archiving
  await waitFor(() => archiver.run().then(() => true), { describe: "the rest archived" })
  const reader = await aProcess()
  for (const { subject: one, ids } of ledgers) {
    expect(idsIn(await answered(() => historyOf(reader.log, one, 100)))).toEqual(ids)
    expect(await answered(() => reader.log.lastSeq(one))).toBe(ledgers.find((ledger) => ledger.subject === one)?.last)
  }
  for (const claim of claims) {
    const holders = given.get(claim) ?? []
    expect(holders.length).toBeLessThanOrEqual(1)
    expect(idsIn(await answered(() => historyOf(reader.log, claim)))).toEqual(holders)
  }
  expect(given.size).toBeGreaterThan(0)
})
