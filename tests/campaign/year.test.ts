/**
 * The log that a year of a community leaves, most of it in the archive; a round is a thousand agents. Each figure stands
 * beside that of a community of a hundredth of the size, in the same run. What is asserted is what is true at any size;
 * how long it took and how much memory it needed is printed.
 */
import { readdir } from "node:fs/promises"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import { CompiledQuery } from "kysely"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { folderOf } from "../../actors/log/archive/objects.ts"
import { pagesOf } from "../../actors/log/stream-pages.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import { rebuildAll, type Rebuilt } from "../../actors/projections/rebuild.ts"
import { restore } from "../../ops/backup/restore.ts"
import { servicePublicKey } from "../../ops/backup/service-key.ts"
import { type BenchAgent, signedHeaders, signedRequest } from "../../ops/bench/agents.ts"
import { cpuOf, peakBytes } from "../../ops/bench/cpu.ts"
import { runLoad } from "../../ops/bench/load.ts"
import { processesIn } from "../../ops/launcher/proc.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { streams } from "../../schemas/subjects.ts"
import { archiveOf, waitFor } from "../harness/index.ts"
import { type Answer, send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { rounds } from "../support/rounds.ts"
import { seeded, type SeededRandom } from "../support/seed.ts"
import { logOf, TEST_SERVER_KEY, type TestService, testService } from "../support/service.ts"
import { postgresBytes } from "../support/year/memory.ts"
import { Report } from "../support/year/report.ts"
import { type WrittenYear, writeYear } from "../support/year/write.ts"
import type { YearAgent } from "../support/year/year.ts"

const AGENTS = rounds(1) * 1000
const SMALLER = 100
/** Agents that sign, and requests of each kind. */
const SIGNERS = 100
const STARTS = 3
const WRITES = 1000
const CLIENTS = 32
const PAGE = 4000
const PLENTY = 1_000_000
const MEMORY_EVERY_MS = 1000

interface World {
  readonly service: TestService
  readonly edge: string
  readonly written: WrittenYear
  readonly report: (what: string, figure: number, unit: string) => void
  readonly random: SeededRandom
}

let receiver: Receiver
const report = new Report()

beforeAll(async () => {
  vi.stubEnv("HUB_SERVER_KEY", TEST_SERVER_KEY)
  receiver = await startReceiver()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await receiver?.stop()
})

const loads = (): string =>
  loadavg()
    .map((load) => load.toFixed(1))
    .join(", ")

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** Seconds of processor time of all that serves, and of this process, which other work on the machine changes less. */
const cpuSecondsOf = async (world: World, work: () => Promise<unknown>): Promise<number> => {
  const [before, own] = [cpuOf(serving(world)), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(own)
  return (cpuOf(serving(world)) - before + user + system) / 1e6
}

const benchAgent = ({ key, publicKey, hxId }: YearAgent): BenchAgent => {
  if (key === null) throw new Error(`${hxId} cannot sign`)
  return { privateKey: key, publicKey: Buffer.from(publicKey).toString("base64"), number: hxId }
}

const get = async ({ edge }: World, path: string, by?: YearAgent): Promise<Answer> => {
  const headers = by === undefined ? {} : signedHeaders(benchAgent(by), new URL(edge).host, "GET", path, "")
  const answer = await send({ edge, method: "GET", path, headers })
  expect(outcome(answer), path).toBe("200")
  return answer
}

const spread = (world: World, what: string, took: ReadonlyArray<number>): void => {
  const sorted = took.toSorted((one, other) => one - other)
  for (const [name, part] of [
    ["p50", 0.5],
    ["p99", 0.99]
  ] as const)
    world.report(`${what}, ${name}`, sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0, "ms")
}

/** One after another. */
const asked = async <A>(world: World, what: string, all: ReadonlyArray<A>, ask: (one: A) => Promise<unknown>) => {
  const took: Array<number> = []
  const cpu = await cpuSecondsOf(world, async () => {
    for (const one of all) took.push(1000 * (await secondsOf(() => ask(one))))
  })
  spread(world, what, took)
  world.report(`${what}, CPU`, (1000 * cpu) / all.length, "ms")
}

const answering = ({ edge, written }: World): Promise<unknown> => {
  const path = `/api/v1/agents/${written.year.signers[0]?.handle}`
  return waitFor(async () => (await send({ edge, method: "GET", path })).status === 200, { describe: "an answer" })
}

const rebuilt = async (world: World): Promise<void> => {
  const { service } = world
  const { nats, manager, databaseUrl, limits, archive } = service.view
  let [applied, all] = [0, 0]
  const cpu = await cpuSecondsOf(world, async () => {
    const parts = { nats, manager, databaseUrl, limits, archive, projections: PROJECTIONS }
    all = await secondsOf(async () => {
      const replaced = ({ messages }: Rebuilt): void => void (applied += messages)
      await Effect.runPromise(rebuildAll({ ...parts, progress: () => () => undefined, replaced }))
    })
  })
  world.report("rebuild of all tables", applied / all, "commits/s")
  world.report("rebuild of all tables, time", all, "s")
  world.report("rebuild of all tables, CPU a commit", (1e6 * cpu) / applied, "us")
  // As Postgres does by itself within some minutes.
  await service.view.db.executeQuery(CompiledQuery.raw("vacuum analyze"))
}

const started = async (world: World): Promise<void> => {
  const [actor] = world.service.system.actors
  const took: Array<number> = []
  for (let start = 0; start < STARTS; start++) {
    await actor?.kill()
    took.push(
      await secondsOf(async () => {
        await actor?.restart()
        await answering(world)
      })
    )
  }
  world.report("start of a node until it answers", took.toSorted((one, other) => one - other)[1] ?? 0, "s")
}

/** As the interface shows it, it has all of its history. */
const expectWhole = async (world: World, agent: YearAgent): Promise<void> => {
  const me = dataOf<Record<string, unknown>>(await get(world, "/api/v1/me", agent))
  expect(me).toMatchObject({
    handle: agent.handle,
    counts: { ...agent.counts, accepted_answers: 0 },
    scores: { trust: 10, reputation: agent.reputation },
    unread_notifications: agent.unread.length,
    unread_messages: agent.messages.length
  })
}

const activated = async (world: World): Promise<void> => {
  const { service, written } = world
  const { signers } = written.year
  const ids = signers.map(({ id }) => id)
  await service.view.db.deleteFrom("snapshots").where("kind", "=", "agent").where("id", "in", ids).execute()
  await service.system.actors[0]?.kill()
  await service.system.actors[0]?.restart()
  await answering(world)
  await asked(world, "cold activation without a snapshot", signers, (agent) => expectWhole(world, agent))
  // Actors leave memory with a snapshot.
  await service.system.actors[0]?.stop()
  const kept = await service.view.db.selectFrom("snapshots").select("id").where("id", "in", ids).execute()
  expect(kept).toHaveLength(ids.length)
  await service.system.actors[0]?.restart()
  await answering(world)
  await asked(world, "cold activation with a snapshot", signers, (agent) => expectWhole(world, agent))
  await asked(world, "a signed read of an agent in memory", signers, (agent) => expectWhole(world, agent))
}

/** Archive and log together hold each commit that was written. */
const expectNothingLost = async ({ service, written }: World): Promise<void> => {
  const { nats, archive } = service.view
  const at = Date.now()
  let found = 0
  const pages = pagesOf(nats, streams.events, 0, PAGE, ">", archive)
  await Effect.runPromise(
    Stream.runForEach(pages, (page) =>
      Effect.sync(() => void (found += page.filter(({ seq }) => seq <= written.last).length))
    )
  )
  // Some deliveries may have ended between the two looks.
  expect(found).toBeLessThanOrEqual(written.standing(at))
  expect(found).toBeGreaterThanOrEqual(written.standing(Date.now()))
  for (const { id, place } of written.year.signers) {
    const history = await logOf(service.view, "agent", id)
    expect(
      history.filter(({ seq }) => seq <= written.last),
      id
    ).toHaveLength(place.commits)
  }
}

const listed = async (world: World): Promise<void> => {
  const { year } = world.written
  const { signers } = year
  const { agent, thread, post, reply } = year.given
  const agents = dataOf(await get(world, "/api/v1/agents?per_page=1"))
  expect(agents).toHaveLength(1)
  expect((await get(world, "/api/v1/agents?per_page=1")).json.meta?.total).toBe(agent)
  const count = (table: string) =>
    CompiledQuery.raw(`select count(*)::int as count from ${table}`) as CompiledQuery<{ count: number }>
  for (const [table, wanted] of Object.entries({ threads: thread, posts: post, replies: reply }))
    expect((await world.service.view.db.executeQuery(count(table))).rows[0]?.count, table).toBe(wanted)
  await asked(world, "a list of threads", signers, () => get(world, "/api/v1/threads?per_page=50"))
  await asked(world, "a list of posts", signers, () => get(world, "/api/v1/posts?per_page=50"))
  await asked(world, "an agent by handle", signers, ({ handle }) => get(world, `/api/v1/agents/${handle}`))
  const old = signers.map(() => world.random.pick(year.oldest))
  await asked(world, "an old thread", old, async (one) => {
    const found = dataOf<Record<string, unknown>>(await get(world, `/api/v1/threads/${one.number}`))
    expect(found).toMatchObject({ title: one.title, reply_count: one.replies })
  })
  await asked(world, "replies of an old thread", old, ({ number }) => get(world, `/api/v1/threads/${number}/replies`))
  await asked(world, "a search", signers, () => get(world, `/api/v1/search?q=${year.word()}`))
  await asked(world, "a list of notifications", signers, (one) => get(world, "/api/v1/me/notifications", one))
  await asked(world, "a list of messages", signers, (one) => get(world, "/api/v1/messages", one))
}

const serving = ({ service }: World): ReadonlyArray<number> => {
  const { nats, actors, edges, folder } = service.system
  const nodes = [nats, ...actors, ...edges].map(({ pid }) => pid)
  return [...nodes.filter((pid) => pid !== null), ...processesIn(join(folder, "postgres", "cluster"))]
}

interface Request {
  readonly by: YearAgent
  readonly path: string
  readonly body: object
}

const wrote = async (world: World, what: string, all: ReadonlyArray<Request>): Promise<void> => {
  const host = new URL(world.edge).host
  const requests = all.map(({ by, path, body }) =>
    signedRequest(benchAgent(by), host, "POST", path, JSON.stringify(body))
  )
  const before = cpuOf(serving(world))
  const { seconds, statuses, p50Ms, p99Ms } = await runLoad(
    Number(new URL(world.edge).port),
    CLIENTS,
    () => requests.pop() ?? null
  )
  const used = cpuOf(serving(world)) - before
  expect(
    Object.keys(statuses).filter((status) => !status.startsWith("2")),
    JSON.stringify(statuses)
  ).toEqual([])
  world.report(`${what}, rate`, all.length / seconds, "a second")
  world.report(`${what}, CPU of all processes`, used / all.length / 1000, "ms")
  world.report(`${what}, p50`, p50Ms, "ms")
  world.report(`${what}, p99`, p99Ms, "ms")
}

const written = async (world: World): Promise<void> => {
  const { year } = world.written
  const { signers } = year
  const by = (index: number): YearAgent => signers[index % signers.length] as YearAgent
  const writes = Array.from({ length: WRITES }, (_, index) => index)
  const reply = (index: number, number: number): Request => ({
    by: by(index),
    path: `/api/v1/threads/${number}/replies`,
    body: { body: `${index} ${year.word()} ${year.word()} ${year.word()}.` }
  })
  // Each of them is loaded from the archive.
  const old = year.oldest.filter(({ place }) => place.seq <= world.written.through)
  await asked(
    world,
    "a first reply to an archived thread",
    [...old.slice(0, SIGNERS).entries()],
    async ([index, one]) => {
      const { by: signer, path, body } = reply(index, one.number)
      const text = JSON.stringify(body)
      const headers = signedHeaders(benchAgent(signer), new URL(world.edge).host, "POST", path, text)
      const exchange = { edge: world.edge, method: "POST", path, body: text, headers }
      expect(outcome(await send({ ...exchange, headers: { ...headers, "content-type": "application/json" } }))).toBe(
        "201"
      )
    }
  )
  await wrote(
    world,
    "replies",
    writes.map((index) => reply(index, world.random.pick(year.threads).number))
  )
  const pairs = year.targets
    .flatMap((target) => signers.map((voter) => ({ target, voter })))
    .filter(({ target, voter }) => target.author !== voter && !target.voters.includes(voter))
  const step = Math.max(1, Math.floor(pairs.length / WRITES))
  const chosen = pairs.filter((_, index) => index % step === 0).slice(0, WRITES)
  await wrote(
    world,
    "votes",
    chosen.map(({ target: { kind, place }, voter }) => ({
      by: voter,
      path: "/api/v1/votes",
      body: { target_type: kind, target_id: Number(place.id), value: 1 }
    }))
  )
  await wrote(
    world,
    "messages",
    writes.map((index) => ({
      by: by(index),
      path: "/api/v1/messages",
      body: { to: by(index + 1).handle, body: `${index} ${year.word()} ${year.word()}?` }
    }))
  )
}

const checked = async (world: World): Promise<void> => {
  let cpu = 0
  const seconds = await secondsOf(async () => {
    cpu = await cpuSecondsOf(world, async () =>
      expect(await operate(world.service.system, ["verify"])).toMatch(/verified in/)
    )
  })
  world.report("verify", seconds, "s")
  world.report("verify, CPU a commit", (1e6 * cpu) / world.written.standing(Date.now()), "us")
}

const backups = (world: World): string => join(world.service.system.folder, "backups")

const backedUp = async (world: World, name: string): Promise<void> => {
  const { system } = world.service
  const seconds = await secondsOf(() => operate(system, ["backup", join(backups(world), name)]))
  world.report(`backup, ${name}`, seconds, "s")
  expect(await readdir(join(backups(world), "archive"))).toEqual(await readdir(archiveOf(system)))
}

const restored = async (world: World): Promise<void> => {
  const { system, view } = world.service
  await Promise.all([...system.edges, ...system.actors].map((node) => node.stop()))
  const signal = new AbortController().signal
  const [from, to] = [join(backups(world), "archive"), archiveOf(system)].map(folderOf)
  if (from === undefined || to === undefined) throw new Error("an archive lies in a folder")
  const parts = {
    nats: view.nats,
    manager: view.manager,
    databaseUrl: view.databaseUrl,
    serviceKey: servicePublicKey(process.env),
    limits: LIMITS,
    replicas: null,
    gap: 0,
    cards: false,
    replace: true,
    archive: { from, to },
    signal,
    progress: () => undefined
  }
  const seconds = await secondsOf(() => restore(join(backups(world), "incremental"), parts))
  world.report("restore", seconds, "s")
  await view.archive?.refresh()
  await expectNothingLost(world)
}

/** The most memory of each process. */
const watchMemory = (world: World): (() => void) => {
  const { system } = world.service
  const most = { "nats-server": 0, actors: 0, edge: 0, Postgres: 0 }
  const look = (): void => {
    const { nats, actors, edges } = system
    const pids = { "nats-server": nats.pid, actors: actors[0]?.pid, edge: edges[0]?.pid }
    for (const [name, pid] of Object.entries(pids))
      if (pid !== null && pid !== undefined)
        most[name as keyof typeof pids] = Math.max(most[name as keyof typeof pids], peakBytes(pid))
    most.Postgres = Math.max(most.Postgres, postgresBytes(join(system.folder, "postgres", "cluster")))
  }
  const timer = setInterval(() => {
    try {
      look()
    } catch {
      // A process has just ended.
    }
  }, MEMORY_EVERY_MS)
  return () => {
    clearInterval(timer)
    for (const [name, bytes] of Object.entries(most)) world.report(`memory of ${name}, at most`, bytes / 1e6, "MB")
  }
}

const lived = async (agents: number, random: SeededRandom): Promise<void> => {
  const service = await testService({
    processes: true,
    edges: 1,
    actors: 1,
    within: tmpdir(),
    limits: { "rate_limits.message.requests": PLENTY },
    natsStoreMaxBytes: 2 ** 40,
    postgresSettings: { autovacuum: "on", shared_buffers: "128MB", max_wal_size: "4GB" }
  })
  const { system, view } = service
  try {
    await Promise.all([...system.edges, ...system.actors].map((node) => node.stop()))
    const of = { random, agents, signers: Math.min(SIGNERS, agents), webhook: receiver.url, origin: system.url }
    const all = await writeYear(view, { ...of, serverKey: Buffer.from(TEST_SERVER_KEY, "base64") })
    const figure = (what: string, value: number, unit: string): void => report.add(agents, what, value, unit)
    const world: World = { service, edge: service.edges[0] ?? "", written: all, report: figure, random }
    const memory = watchMemory(world)
    figure("commits in the archive", all.archived.commits, "")
    figure("commits in the log", all.hot, "")
    figure("the archive", all.archived.bytes / 1e6, "MB")
    figure("segments", all.archived.segments, "")
    figure("archive written", all.archived.commits / all.archiveSeconds, "commits/s")
    figure("log written", all.hot / all.hotSeconds, "commits/s")
    await rebuilt(world)
    await Promise.all([...system.actors, ...system.edges].map((node) => node.restart()))
    await answering(world)
    await started(world)
    await activated(world)
    await expectNothingLost(world)
    await listed(world)
    await backedUp(world, "first")
    await written(world)
    await checked(world)
    await backedUp(world, "incremental")
    memory()
    await restored(world)
  } finally {
    await service.stop()
  }
}

test("a year of a community is read, written, verified, copied and brought back as a hundredth of it is", async () => {
  const random = seeded("a year of a community")
  console.log(`load of the machine before: ${loads()}`)
  await lived(AGENTS / SMALLER, random)
  await lived(AGENTS, random)
  console.log(report.table())
  console.log(`load of the machine after: ${loads()}`)
})
