/**
 * What backups promise of their cuts, under as many writes as the servers take; what a restore refuses; what is left of
 * either when it is killed.
 */
import { randomBytes } from "node:crypto"
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { AckPolicy, jetstream, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream"
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { Effect, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { nextNumber } from "../../actors/log/counters.ts"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { pagesOf } from "../../actors/log/stream-pages.ts"
import { ensureStreams } from "../../actors/log/streams.ts"
import { ScheduledTimers } from "../../actors/engine/timers.ts"
import { backup } from "../../ops/backup/backup.ts"
import { type Manifest, manifestText, sha256Of } from "../../ops/backup/manifest.ts"
import { restore } from "../../ops/backup/restore.ts"
import { HashedFile } from "../../ops/backup/files.ts"
import { copyRest, copyRestOfBatch, writeTail } from "../../ops/backup/tail.ts"
import { keyPairOfSeed } from "../../schemas/signing/seed.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import { type Servers, startServers, waitFor } from "../harness/index.ts"
import { type Desk, operate, operated, refusal } from "../support/operator.ts"
import { rounds } from "../support/rounds.ts"

// A server on one core seldom takes a copy while a batch is being written, which is what is looked for here.
process.env["GOMAXPROCS"] = String(Math.max(2, availableParallelism()))

interface Side {
  readonly servers: Servers
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly desk: Desk
}

/** Of registration, roughly. */
const GROUP = 14
/** So many that some are replaced while they are copied. */
const COUNTED = 20_000
/** Prime to COUNTED: the next to be replaced stands anywhere in the stream. */
const STRIDE = 7919
/** Counts grow from one load to the next. */
const ROUND = 1_000_000
const COUNTERS = 8
/** Rounds in which all is restored, whatever came of the lot. */
const SAMPLE = 2
/** Rounds of which some should be cut inside a batch. */
const LUCKY = 25

const seed = randomBytes(32)
const serviceKey = Buffer.from(keyPairOfSeed(seed).publicKey).toString("base64")
const signal = new AbortController().signal
let from: Side
let into: Side
let folder = ""

async function side(): Promise<Side> {
  const servers = await startServers()
  const nats = await connect({ servers: servers.nats.url })
  return {
    servers,
    nats,
    manager: await jetstreamManager(nats),
    desk: { natsUrl: servers.nats.url, databaseUrl: servers.postgres.url, serverKey: seed.toString("base64") }
  }
}

const logOf = (nats: NatsConnection): JetStreamLog =>
  new JetStreamLog(nats, { batchMax: LIMITS.service.commit_batch_max, queueMax: LIMITS.service.commit_queue_max })

const timersConsumer = {
  durable_name: consumers.timers,
  ack_policy: AckPolicy.Explicit,
  filter_subject: subjects.timerFires,
  max_ack_pending: 200
}

const commit = (log: JetStreamLog, names: ReadonlyArray<string>) =>
  log.append(
    names.map((name) => ({
      subject: subjects.event("test", name),
      expected: 0,
      commit: { v: 1 as const, id: name, op: "test", at: Date.now(), events: [] }
    }))
  )

async function committed(nats: NatsConnection): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const page of await Effect.runPromise(Stream.runCollect(pagesOf(nats, streams.events, 0, 1000))))
    for (const { subject } of page) names.add(subject.slice(subjects.event("test", "").length))
  return names
}

const taken = (to: string): Promise<Manifest> =>
  backup(to, { nats: from.nats, manager: from.manager, serviceKey, signal, progress: () => undefined })

const brought = (of: string, gap = 0) =>
  restore(of, {
    nats: into.nats,
    manager: into.manager,
    databaseUrl: into.desk.databaseUrl,
    serviceKey,
    limits: LIMITS,
    replicas: null,
    gap,
    replace: true,
    signal,
    progress: () => undefined
  })

const heldBy = async ({ manager }: Side): Promise<ReadonlyArray<string>> =>
  (await manager.streams.names().next()).toSorted()

async function emptied(): Promise<void> {
  for (const name of await heldBy(into)) await into.manager.streams.delete(name)
}

beforeAll(async () => {
  const sides = await Promise.all([side(), side()])
  from = sides[0]
  into = sides[1]
  folder = join(from.servers.folder, "backup")
  await ensureStreams(from.nats, LIMITS, 1)
  await from.manager.consumers.add(streams.timers, timersConsumer)
  for (let index = 0; index < COUNTED - 1; index++) from.nats.publish(subjectOfCount(index), "1")
  await from.nats.request(subjectOfCount(COUNTED - 1), "1")
  const { state } = await from.manager.streams.info(streams.verified)
  expect(state.messages).toBe(COUNTED)
})
afterAll(async () => {
  for (const one of [from, into]) {
    await one?.nats.close()
    await one?.servers.stop()
  }
})

interface Load {
  readonly acknowledged: ReadonlySet<string>
  readonly counts: ReadonlyArray<number>
  readonly stop: () => Promise<void>
}

const subjectOfCount = (index: number): string => subjects.verified("agent", `site${index}`)

/**
 * Commits of several actors, counts of which only the newest is kept, numbers, and timers that are set, fire and are
 * answered.
 */
async function load(round: number): Promise<Load> {
  const { nats } = from
  const log = logOf(nats)
  const timers = new ScheduledTimers(nats)
  const acknowledged = new Set<string>()
  const counts = Array.from({ length: COUNTED }, () => 1)
  const over = new AbortController()
  const groups = Array.from({ length: 64 }, async (_, writer) => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const name = `group-${round}-${writer}-${turn}`
      if (
        (
          await commit(
            log,
            Array.from({ length: GROUP }, (_, member) => `${name}-${member}`)
          )
        ).ok
      )
        acknowledged.add(`${name}-0`)
    }
  })
  const counting = Array.from({ length: COUNTERS }, async (_, writer) => {
    for (let turn = writer; !over.signal.aborted; turn += COUNTERS) {
      const index = (turn * STRIDE) % COUNTED
      const count = (round + 1) * ROUND + turn
      await nats.request(subjectOfCount(index), String(count))
      counts[index] = count
    }
  })
  const drawing = (async () => {
    while (!over.signal.aborted) await commit(log, [`number-${await nextNumber(nats, "agent")}`])
  })()
  const setting = Array.from({ length: 4 }, async (_, writer) => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const name = `${writer}-${turn}-${randomBytes(4).toString("hex")}`
      await timers.set("test", name, "due", Date.now() + 30)
      if ((await commit(log, [`set-${name}`])).ok) acknowledged.add(`set-${name}`)
    }
  })
  const consumer = await jetstream(nats).consumers.get(streams.timers, consumers.timers)
  const fired = await consumer.consume({
    callback: (message) => void commit(log, [`done-${message.subject.split(".")[4]}`]).then(() => message.ack())
  })
  await waitFor(() => acknowledged.size > 500)
  return {
    acknowledged,
    counts,
    stop: async () => {
      over.abort()
      await Promise.all([...groups, ...counting, drawing, ...setting])
      await fired.close()
    }
  }
}

/** Names of the timers that fire where a backup was restored. */
async function fires(): Promise<{ readonly names: ReadonlySet<string>; readonly stop: () => Promise<void> }> {
  const names = new Set<string>()
  const consumer = await jetstream(into.nats).consumers.get(streams.timers, consumers.timers)
  const messages = await consumer.consume({
    callback: (message) => {
      names.add(message.subject.split(".")[4] ?? "")
      message.ack()
    }
  })
  return { names, stop: async () => void (await messages.close()) }
}

describe("a cut under writes", () => {
  test("holds whole commits, the newest of what is replaced, every number and every timer", async () => {
    let cutInside = 0
    const most = rounds(SAMPLE)
    for (let round = 0; round < most; round++) {
      const running = await load(round)
      const before = { names: [...running.acknowledged], counts: [...running.counts] }
      const to = `${folder}-${round}`
      const manifest = await taken(to).finally(running.stop)
      const inside = (manifest.streams.find(({ name }) => name === streams.events)?.tail.messages ?? 0) > 0
      if (inside) cutInside++
      if (round < SAMPLE || inside) {
        await brought(to)
        await holds(before)
      }
      await rm(to, { recursive: true })
    }
    console.log(`${cutInside} of ${most} cuts lay inside a batch`)
    // That takes luck, which only a campaign has.
    if (most >= LUCKY) expect(cutInside, "a cut inside a batch").toBeGreaterThan(0)
  })

  test("holds the rest of a batch, wherever in it the cut lies", async () => {
    const log = logOf(from.nats)
    const { last_seq: before } = (await from.manager.streams.info(streams.events)).state
    for (const size of [1, GROUP, 2])
      await commit(
        log,
        Array.from({ length: size }, (_, member) => `whole-${size}-${member}`)
      )
    const ends = [0, 1, 1 + GROUP, 3 + GROUP]
    for (let place = 0; place <= 3 + GROUP; place++) {
      const end = ends.find((one) => one >= place) ?? 0
      const file = await HashedFile.create(join(from.servers.folder, `rest-${place}`))
      expect([place, await copyRestOfBatch(from.manager, streams.events, before + place, file)]).toEqual([
        place,
        end - place
      ])
      expect((await file.end()).bytes > 0).toBe(end > place)
    }
  })

  test.each([0, 1, 7])(
    "brings back a counter whose number was replaced while it was copied, where the archive has %i of it",
    async (archived) => {
      await emptied()
      await ensureStreams(into.nats, LIMITS, 1)
      for (let number = 0; number < archived; number++) await nextNumber(into.nats, "replaced")
      for (let number = 0; number < 5; number++) await nextNumber(from.nats, "replaced")
      const newest = await nextNumber(from.nats, "replaced")
      const path = join(from.servers.folder, `counter-${archived}`)
      const file = await HashedFile.create(path)
      const { last_seq: last } = (await from.manager.streams.info(streams.counters)).state
      expect(await copyRest(from, streams.counters, last - 2, file, signal)).toBe(1)
      await file.end()
      await writeTail(into.nats, path, 0, false)
      expect(await nextNumber(into.nats, "replaced")).toBe(Math.max(newest, archived) + 1)
    }
  )

  async function holds(before: {
    readonly names: ReadonlyArray<string>
    readonly counts: ReadonlyArray<number>
  }): Promise<void> {
    const names = await committed(into.nats)
    expect(
      before.names.filter((name) => !names.has(name)),
      "commits acknowledged before"
    ).toEqual([])
    const groups = Map.groupBy(
      [...names].filter((name) => name.startsWith("group-")),
      (name) => name.slice(0, name.lastIndexOf("-"))
    )
    expect(
      [...groups].filter(([, members]) => members.length !== GROUP),
      "half commits"
    ).toEqual([])
    const counts = new Map<string, number>()
    for (const page of await Effect.runPromise(Stream.runCollect(pagesOf(into.nats, streams.verified, 0, 1000))))
      for (const { subject, data } of page) counts.set(subject, Number(Buffer.from(data).toString()))
    const lost = before.counts.flatMap((count, index) =>
      (counts.get(subjectOfCount(index)) ?? 0) < count ? [index] : []
    )
    expect(lost, "counts that are missing or older than before").toEqual([])
    const numbers = [...names]
      .filter((name) => name.startsWith("number-"))
      .map((name) => Number(name.slice("number-".length)))
    expect(await nextNumber(into.nats, "agent")).toBeGreaterThan(Math.max(...numbers))
    const fired = await fires()
    const open = () =>
      [...names].filter(
        (name) => name.startsWith("set-") && !names.has(`done-${name.slice(4)}`) && !fired.names.has(name.slice(4))
      )
    await waitFor(() => open().length === 0, { describe: "every timer that the log has set and not answered" }).catch(
      (error: unknown) => {
        throw new Error(`${open().length} timers never fired: ${open().slice(0, 5)}`, { cause: error })
      }
    )
    await fired.stop()
  }
})

describe("a restore", () => {
  let manifest: Manifest

  beforeAll(async () => {
    const log = logOf(from.nats)
    await Promise.all(
      Array.from({ length: 200 }, (_, group) =>
        commit(
          log,
          Array.from({ length: 500 }, (_, member) => `bulk-${group}-${member}`)
        )
      )
    )
    manifest = await taken(folder)
  })

  test("brings every stream as it was, and is not made over what is there", async () => {
    await emptied()
    await operated(into.desk, ["restore", folder, "--gap", "0", "--replace"])
    for (const { name } of manifest.streams) {
      const [was, is] = await Promise.all([from.manager.streams.info(name), into.manager.streams.info(name)])
      expect([name, is.state.messages, is.state.last_seq]).toEqual([name, was.state.messages, was.state.last_seq])
      if (was.state.messages > 0)
        expect([name, is.state.first_seq, is.state.first_ts]).toEqual([name, was.state.first_seq, was.state.first_ts])
      const { metadata: _was, ...config } = was.config
      const { metadata, ...restored } = is.config
      expect(restored).toEqual(config)
      expect(metadata).not.toHaveProperty("hub-restore")
    }
    const { config, ack_floor } = await into.manager.consumers.info(streams.timers, consumers.timers)
    expect(config.filter_subject).toBe(subjects.timerFires)
    expect(ack_floor.stream_seq).toBe(manifest.consumers.find(({ name }) => name === consumers.timers)?.floor)
    expect(await refusal(into.desk, ["restore", folder])).toMatch(
      /^JetStream holds HUB_COUNTERS, HUB_EVENTS, .*--replace/
    )
  })

  test("leaves a gap in the log and in the counters, which outlives the server", async () => {
    const { lastSeq, nextSeq } = await brought(folder, 500)
    expect(nextSeq).toBe(lastSeq + 5001)
    await into.servers.nats.kill()
    await into.servers.nats.restart()
    await waitFor(() => into.manager.streams.info(streams.events), { describe: "the server" })
    // Nothing has been drawn there since the backup.
    expect(await nextNumber(into.nats, "agent")).toBe((await nextNumber(from.nats, "agent")) + 500)
    const result = await commit(logOf(into.nats), ["after-the-gap"])
    expect(result).toMatchObject({ ok: true, seqs: [nextSeq] })
  })

  const damaged = async (name: string, damage: (copy: string) => Promise<unknown>): Promise<string> => {
    const copy = join(from.servers.folder, `damaged-${name}`)
    await cp(folder, copy, { recursive: true })
    await damage(copy)
    return copy
  }
  const flip = async (file: string, at: number): Promise<void> => {
    const bytes = await readFile(file)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(file, bytes)
  }
  const forge =
    (change: (manifest: Record<string, unknown>) => unknown) =>
    async (copy: string): Promise<void> => {
      const forged = structuredClone(manifest) as unknown as Record<string, unknown>
      change(forged)
      await writeFile(join(copy, "manifest.json"), manifestText(forged as unknown as Manifest))
    }
  const firstStream = (forged: Record<string, unknown>): Record<string, unknown> =>
    (forged["streams"] as Array<Record<string, unknown>>)[0] ?? {}

  test.each<[string, (copy: string) => Promise<unknown>, RegExp]>([
    [
      "a wrong byte in a stream",
      (copy) => flip(join(copy, "HUB_EVENTS.snapshot"), 5000),
      /HUB_EVENTS\.snapshot does not have the checksum that the manifest says: the backup is damaged$/
    ],
    [
      "a wrong byte in the manifest",
      (copy) => flip(join(copy, "manifest.json"), 900),
      /manifest\.json (does not have the checksum|is no)/
    ],
    [
      "a file that is cut",
      (copy) => truncate(join(copy, "HUB_COUNTERS.snapshot"), 10),
      /HUB_COUNTERS\.snapshot has 10 bytes, the manifest says \d+: the backup is damaged$/
    ],
    ["a missing file", (copy) => rm(join(copy, "HUB_TIMERS.tail")), /HUB_TIMERS\.tail cannot be read: ENOENT$/],
    [
      "no manifest",
      (copy) => rm(join(copy, "manifest.json")),
      /is no backup: its manifest\.json cannot be read \(ENOENT\)$/
    ],
    [
      "another program's manifest",
      (copy) => writeFile(join(copy, "manifest.json"), '{"backup":{"name":"x"},"sha256":"0"}'),
      /manifest\.json does not have the checksum/
    ],
    [
      "a manifest that is none",
      (copy) => writeFile(join(copy, "manifest.json"), "[1]"),
      /manifest\.json is no manifest of a backup$/
    ],
    [
      "a manifest of a later format",
      forge((forged) => (forged["format"] = 2)),
      /is of format 2, this release reads format 1$/
    ],
    [
      "a stream named like a path",
      forge((forged) => (firstStream(forged)["name"] = "../../x")),
      /is no manifest of a backup: /
    ],
    [
      "a stream that is not the service's",
      forge((forged) => (firstStream(forged)["name"] = "KV_other")),
      /is no manifest of a backup: /
    ],
    [
      "a stream that copies from elsewhere",
      forge((forged) => ((firstStream(forged)["config"] as Record<string, unknown>)["sources"] = [{ name: "OTHER" }])),
      /has sources in the configuration of HUB_IDEMPOTENCY$/
    ],
    [
      "a stream on foreign subjects",
      forge((forged) => ((firstStream(forged)["config"] as Record<string, unknown>)["subjects"] = ["other.>"])),
      /has subjects in the configuration of HUB_IDEMPOTENCY that are not the service's$/
    ],
    [
      "a stream too few",
      forge((forged) => {
        forged["streams"] = (forged["streams"] as ReadonlyArray<{ name: string }>).filter(
          ({ name }) => name !== streams.timers
        )
      }),
      /does not hold HUB_TIMERS$/
    ]
  ])("of %s is refused in one line, and nothing is written", async (what, damage, message) => {
    await emptied()
    const copy = await damaged(sha256Of(what).slice(0, 8), damage)
    expect(await refusal(into.desk, ["restore", copy, "--replace"])).toMatch(message)
    expect(await refusal(into.desk, ["backup", "--check", copy])).toMatch(message)
    expect(await heldBy(into)).toEqual([])
  })

  test("under another key is refused by name, and shows neither key", async () => {
    const other = randomBytes(32)
    const said = await refusal({ ...into.desk, serverKey: other.toString("base64") }, ["restore", folder, "--replace"])
    expect(said).toContain(`belongs to the service's key ${serviceKey}, and this one is `)
    expect(said).not.toContain(other.toString("base64"))
    expect(said).not.toContain(seed.toString("base64"))
    expect(await heldBy(into)).toEqual([])
  })

  test("that is killed leaves nothing to work on, and is made anew", async () => {
    await emptied()
    const { child, ended } = operate(into.desk, ["restore", folder, "--replace"])
    await waitFor(async () => (await heldBy(into)).includes(streams.events), { describe: "the log to come" })
    child.kill("SIGKILL")
    await ended
    await expect(ensureStreams(into.nats, LIMITS, 1)).rejects.toThrow(
      "a restore is under way, or was interrupted and must be made again"
    )
    // Without --replace: what is there is known to be a restore's.
    await waitFor(() => operated(into.desk, ["restore", folder, "--gap", "0"]), {
      describe: "the lock of the dead one to go"
    })
    await ensureStreams(into.nats, LIMITS, 1)
    expect((await into.manager.streams.info(streams.events)).state.last_seq).toBe(
      (await from.manager.streams.info(streams.events)).state.last_seq
    )
  })

  test("with more replicas than there can be is refused", async () => {
    await emptied()
    expect(await refusal(into.desk, ["restore", folder, "--replicas", "nine"])).toBe(
      "--replicas takes a whole number from 1 to 5"
    )
    expect(await refusal(into.desk, ["restore", folder, "--replicas", "3", "--replace"])).toBe(
      "3 replicas need a cluster, and this nats-server is none: give --replicas 1"
    )
    expect(await heldBy(into)).toEqual([])
  })
})

describe("a backup", () => {
  test("that is interrupted leaves no folder; nor is one made over another that is under way", async () => {
    const to = join(from.servers.folder, "interrupted")
    const { child, ended } = operate(from.desk, ["backup", to])
    await waitFor(async () => (await readdir(from.servers.folder)).includes("interrupted.partial"), {
      describe: "the backup to begin"
    })
    child.kill("SIGINT")
    const { status, errors } = await ended
    expect({ status, last: errors.trimEnd().split("\n").at(-1) }).toEqual({ status: 1, last: "interrupted" })
    expect((await readdir(from.servers.folder)).filter((name) => name.startsWith("interrupted"))).toEqual([])
    await mkdir(`${to}.partial`)
    await expect(taken(to)).rejects.toThrow(".partial is there: a backup into ")
  })

  test("needs the service's key", async () => {
    expect(await refusal({ ...from.desk, serverKey: "short" }, ["backup", join(from.servers.folder, "keyless")])).toBe(
      "HUB_SERVER_KEY is no key of the service: it must be base64 of 32 bytes"
    )
  })
})
