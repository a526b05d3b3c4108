/**
 * Machines of the log lose their power, with all that was not flushed to their disks: one server alone, or any of three
 * at once. An acknowledged commit is there once, in its order; one whose outcome is unknown is there once or not at all,
 * as the log says when it is asked.
 */
import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import type { Append, LogEntry } from "../../actors/log/commit.ts"
import { ensureStreams } from "../../actors/log/streams.ts"
import { drawPasswords } from "../../ops/launcher/bus-users.ts"
import { findNatsServer } from "../../ops/launcher/nats-binary.ts"
import { type RunningServer, startNats } from "../../ops/launcher/nats.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import { freeze, testFolder, waitFor } from "../harness/index.ts"
import { connectTo } from "../harness/tenants.ts"
import { rounds } from "../support/rounds.ts"
import { seeded, type SeededRandom } from "../support/seed.ts"
import { PowerDisk } from "./power-disk.ts"

const ROUNDS = rounds(1)
const WRITERS = 8
/** Every third commit has a second subject beside it. */
const JOINT_SHARE = 0.3
/** Acknowledged commits before a cut, at most: how many is drawn anew each time. */
const COMMITS_MAX = 60
const PAUSE_MS = 20
const PAGE = 500

/** Has a disk of its own, and comes back at its old address. */
class Machine {
  readonly disk: PowerDisk
  private readonly start: () => Promise<RunningServer>
  private server: RunningServer

  private constructor(disk: PowerDisk, start: () => Promise<RunningServer>, server: RunningServer) {
    this.disk = disk
    this.start = start
    this.server = server
  }

  static async boot(folder: string, start: (dataDir: string) => Promise<RunningServer>): Promise<Machine> {
    const disk = await PowerDisk.make(folder)
    const begun = () => start(join(disk.mount, "nats"))
    return new Machine(disk, begun, await begun())
  }

  freeze(): void {
    freeze(this.server.pid)
  }

  async losePower(): Promise<void> {
    await this.disk.cut()
    await this.server.kill()
    await this.disk.powerUp()
    this.server = await this.start()
  }

  async end(): Promise<void> {
    await this.server.kill()
    await this.disk.close()
  }
}

/** Acknowledged commits of one subject, kept by its only writer. */
class Ledger {
  readonly subject = subjects.event("power", randomUUID())
  readonly ids: Array<string> = []
  last = 0

  note(id: string, seq: number): void {
    this.ids.push(id)
    this.last = seq
  }
}

describe.each([1, 3])("%i servers", (count) => {
  let folder: string
  let random: SeededRandom
  let nats: NatsConnection
  let log: JetStreamLog
  const machines: Array<Machine> = []

  beforeAll(async () => {
    random = seeded(`power of ${count}`)
    folder = await testFolder("power")
    const binary = await findNatsServer({
      env: process.env,
      dataDir: join(projectRoot, ".hub"),
      progress: console.error
    })
    const passwords = drawPasswords()
    const [clients, routes]: [Array<number>, Array<number>] = [[], []]
    for (let index = 0; index < count; index++) {
      clients.push(await drawPort())
      routes.push(await drawPort())
    }
    const all = routes.map((port) => `"nats-route://127.0.0.1:${port}"`).join(", ")
    const clusterOf = (index: number): string =>
      count === 1
        ? ""
        : `cluster { name: power, listen: "127.0.0.1:${routes[index]}", no_advertise: true, routes: [${all}] }`
    machines.push(
      ...(await Promise.all(
        clients.map((port, index) =>
          Machine.boot(join(folder, String(index)), (dataDir) =>
            startNats({
              binary,
              dataDir,
              port,
              passwords,
              serverName: `power-${index}`,
              // Nothing is set aside on a small disk.
              storeMaxBytes: 2 ** 36,
              configExtra: clusterOf(index)
            })
          )
        )
      ))
    )
    nats = await connectTo(clients.map((port) => `nats://operator:${passwords.operator}@127.0.0.1:${port}`).join(","))
    await waitFor(() => ensureStreams(nats, LIMITS, count).then(() => true), { describe: "streams" })
    // A service is rarely cut in its first seconds: its streams are on the disk.
    await Promise.all(machines.map(({ disk }) => disk.flush()))
    log = new JetStreamLog(machineClock, nats, { batchMax: 100, queueMax: 1000, replicated: count > 1 })
  })
  afterAll(async () => {
    await nats?.close()
    await Promise.all(machines.map((machine) => machine.end()))
    await rm(folder, { recursive: true, force: true })
  })

  const newest = ({ subject }: Ledger): Promise<LogEntry | null> =>
    waitFor(async () => ({ entry: await log.last(subject) }), { describe: "the end of a subject" }).then(
      ({ entry }) => entry
    )

  /** Until it is written, or was refused although nothing else can have been written: a fault. */
  const write = async (ledgers: ReadonlyArray<Ledger>): Promise<void> => {
    const ids = ledgers.map(() => randomUUID())
    for (;;) {
      const appends = ledgers.map(({ subject, last }, index): Append => ({
        subject,
        expected: last,
        commit: { v: 1, id: ids[index] ?? "", op: "power.write", at: Date.now(), events: [] }
      }))
      const result = await log.append(appends)
      if (result.ok) {
        for (const [index, ledger] of ledgers.entries()) ledger.note(ids[index] ?? "", result.seqs[index] ?? 0)
        return
      }
      const ends = await Promise.all(ledgers.map(newest))
      const written = ends.map((entry, index) => entry?.commit.id === ids[index])
      expect(new Set(written).size, "a group is there whole or not at all").toBe(1)
      if (written[0] === true) {
        for (const [index, ledger] of ledgers.entries()) ledger.note(ids[index] ?? "", ends[index]?.seq ?? 0)
        return
      }
      expect(
        ends.map((entry) => entry?.seq ?? 0),
        `${result.reason}: a subject ends where it was acknowledged`
      ).toEqual(ledgers.map(({ last }) => last))
      await delay(PAUSE_MS)
    }
  }

  test("an acknowledged commit is there once, whenever the power goes", async () => {
    const pairs = Array.from({ length: WRITERS }, () => [new Ledger(), new Ledger()] as const)
    const stopping = new AbortController()
    const acknowledged = (): number => pairs.flat().reduce((sum, { ids }) => sum + ids.length, 0)
    const faults: Array<unknown> = []
    const writers = pairs.map(async ([own, other]) => {
      while (!stopping.signal.aborted) await write(random.chance(JOINT_SHARE) ? [own, other] : [own])
    })
    for (const writer of writers) writer.catch((cause: unknown) => faults.push(cause))
    const more = async (commits: number, describe: string): Promise<void> => {
      const wanted = acknowledged() + commits
      await waitFor(() => faults.length > 0 || acknowledged() >= wanted, { describe })
      if (faults.length > 0) throw faults[0]
    }
    try {
      for (let round = 0; round < ROUNDS; round++) {
        await more(random.between(1, COMMITS_MAX), `commits before cut ${round}`)
        const victims = machines.filter(() => random.chance(0.5))
        const cut = victims.length === 0 ? machines : victims
        for (const machine of cut) machine.freeze()
        await Promise.all(cut.map((machine) => machine.losePower()))
      }
      await more(WRITERS, "commits after the last cut")
    } finally {
      stopping.abort()
    }
    await Promise.all(writers)
    console.log(`${acknowledged()} commits, ${ROUNDS} cuts of power`)
    for (const { subject, ids } of pairs.flat()) {
      const found: Array<string> = []
      for (let after = 0, isMore = true; isMore;) {
        const { entries, more: left } = await log.read(subject, after, PAGE)
        found.push(...entries.map(({ commit }) => commit.id))
        after = entries.at(-1)?.seq ?? after
        isMore = left
      }
      expect(found).toEqual(ids)
    }
  })
})
