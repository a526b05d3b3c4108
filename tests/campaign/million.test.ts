/**
 * A hub with a million agents, of whom a tenth is active; a round is a thousand of them. They are written into the log as
 * registration writes them. What is asserted is what is true at any size; how long it took and how much memory it needed
 * is printed.
 */
import { execFile } from "node:child_process"
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { CompiledQuery } from "kysely"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { type BenchAgent, signedHeaders } from "../../ops/bench/agents.ts"
import { peakBytes, residentBytes } from "../../ops/bench/cpu.ts"
import { registerDirectly } from "../../ops/bench/registrations.ts"
import { processesIn } from "../../ops/launcher/proc.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { type Answer, send } from "../support/http.ts"
import { MALLOC } from "../support/large-directory.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { rounds } from "../support/rounds.ts"
import { seeded, type SeededRandom } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"

const AGENTS = rounds(2) * 1000
const ACTIVE = AGENTS / 10
const IN_FLIGHT = 512
/** Requests of each kind. */
const ASKED = 40
/** A website's verifier, whatever the number of agents. */
const VERIFIER_BYTES = 300e6
const MEGABYTE = 1e6
const ED25519_PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")

let random: SeededRandom
let service: TestService
let edge = ""
let ids: ReadonlyArray<string> = []
/** Private keys of those who sign, by number. */
const signers = new Map<number, KeyObject>()

const keyOf = (number: number): Uint8Array => {
  if (number % (AGENTS / ASKED) !== 0) return randomBytes(32)
  const key = createPrivateKey({
    key: Buffer.concat([ED25519_PKCS8, random.bytes(32)]),
    format: "der",
    type: "pkcs8"
  })
  signers.set(number, key)
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(12)
}

const SYLLABLES = [..."bdfgklmnprstvz"].flatMap((one) => [..."aeiou"].map((other) => `${one}${other}`))
/** Far apart for numbers that are close together. */
const SPREAD = 2_654_435_761

/** Names as different as those of a million agents: alike ones would all be found by each search. */
const calledOf = (number: number): { readonly handle: string; readonly name: string } => {
  let left = (number * SPREAD) % 2 ** 32
  const word = Array.from({ length: 4 }, () => {
    const syllable = SYLLABLES[left % SYLLABLES.length] ?? ""
    left = Math.floor(left / SYLLABLES.length)
    return syllable
  }).join("")
  return { handle: `${word}-${number}`, name: `${word} of ${SYLLABLES[number % SYLLABLES.length]}` }
}

const timed = async <A>(what: string, work: () => Promise<A>): Promise<A> => {
  const began = performance.now()
  const done = await work()
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return done
}

const get = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const answer = await send({ edge, method: "GET", path, headers })
  expect(outcome(answer), path).toMatch(/^(200|304)/)
  return answer
}

/** Longer than a text can be. */
const readDirectory = async (): Promise<{ readonly bytes: number; readonly tag: string }> => {
  const answer = await fetch(`${edge}/api/v1/id/directory`)
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += chunk.length
  return { bytes, tag: answer.headers.get("etag") ?? "" }
}

/** One after another; prints the middle and the slowest but one of a hundred. */
const asked = async (what: string, ask: (index: number) => Promise<unknown>): Promise<void> => {
  const times: Array<number> = []
  for (let index = 0; index < ASKED; index++) {
    const began = performance.now()
    await ask(index)
    times.push(performance.now() - began)
  }
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number): string => (sorted[Math.min(ASKED - 1, Math.floor(share * ASKED))] ?? 0).toFixed(1)
  console.log(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}

const logOf = (): JetStreamLog =>
  new JetStreamLog(machineClock, service.view.nats, {
    batchMax: LIMITS.service.commit_batch_max,
    queueMax: LIMITS.service.commit_queue_max
  })

/** A new description for each of these. */
const changed = async (these: ReadonlyArray<string>): Promise<void> => {
  const [log, left] = [logOf(), [...these]]
  const worker = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const subject = subjects.event("agent", id)
      const events = [{ type: "agent.profile_changed", v: 1, description: "An agent that has written lately." }]
      const commit = { v: 1 as const, id: `active-${id}`, op: "agent.change", at: Date.now(), events }
      const result = await log.append([{ subject, expected: await log.lastSeq(subject), commit }])
      expect(result.ok).toBe(true)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
}

const shown = (): Promise<unknown> =>
  waitFor(
    async () => {
      const last = (await service.view.manager.streams.info("HUB_EVENTS")).state.last_seq
      const rows = await service.view.db.selectFrom("projections").select("seq").where("name", "=", "agent").execute()
      return Number(rows[0]?.seq ?? 0) >= last
    },
    { describe: "read models that have all", deadlineMs: 3_600_000 }
  )

const tellMemory = (when: string): void => {
  const { nats, actors, edges, system } = { ...service.system, system: service.system }
  const of = (pid: number | null | undefined): string =>
    pid === null || pid === undefined ? "-" : (residentBytes(pid) / MEGABYTE).toFixed(0)
  const peak = nats.pid === null ? 0 : peakBytes(nats.pid) / MEGABYTE
  const postgres = processesIn(join(system.folder, "postgres", "cluster")).length
  console.log(
    `memory ${when}, MB: nats-server ${of(nats.pid)} (at most ${peak.toFixed(0)}), actors ${of(actors[0]?.pid)}, ` +
      `edge ${of(edges[0]?.pid)}; ${postgres} processes of Postgres`
  )
}

beforeAll(async () => {
  random = seeded("a million agents")
  service = await testService({
    processes: true,
    edges: 1,
    actors: 1,
    within: tmpdir(),
    natsStoreMaxBytes: 2 ** 40,
    postgresSettings: { autovacuum: "on", shared_buffers: "128MB" },
    limits: { "rate_limits.id_directory.requests": 1_000_000 }
  })
  edge = service.edges[0] ?? ""
  ids = await timed(`${AGENTS} agents written`, () => registerDirectly(logOf(), AGENTS, { keyOf, calledOf }))
  await timed(`${ACTIVE} of them changed`, () => changed(ids.slice(0, ACTIVE)))
  await timed("read models behind the last of them", shown)
  // As Postgres does by itself within some minutes.
  await service.view.db.executeQuery(CompiledQuery.raw("vacuum analyze"))
  tellMemory("when all are there")
})
afterAll(() => service?.stop())

describe("a million agents", () => {
  test("are listed, found and named in the sitemap", async () => {
    const list = await get("/api/v1/agents?per_page=100")
    expect(list.json.meta?.total).toBe(AGENTS)
    await asked("a list of agents, its first page", () => get("/api/v1/agents?per_page=100"))
    await asked("an agent by handle", () => get(`/api/v1/agents/${calledOf(random.between(1, AGENTS)).handle}`))
    await asked("a search for an agent", async () => {
      const { handle } = calledOf(random.between(1, AGENTS))
      const [first] = dataOf<ReadonlyArray<{ readonly handle: string }>>(
        await get(`/api/v1/search?type=agents&q=${handle}`)
      )
      expect(first?.handle).toBe(handle)
    })
    await timed("the sitemap, made", () => get("/sitemap.xml"))
    await asked("the sitemap", () => get("/sitemap.xml"))
  })

  test("sign what they ask, however long they were silent", async () => {
    const host = new URL(edge).host
    const silent = [...signers].map(([number, privateKey]): BenchAgent & { readonly handle: string } => ({
      handle: calledOf(number).handle,
      number: "",
      privateKey,
      publicKey: createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(12).toString("base64")
    }))
    expect(silent).toHaveLength(ASKED)
    const me = async (index: number): Promise<void> => {
      const one = silent[index]
      if (one === undefined) throw new Error("nobody signs")
      const answer = await get("/api/v1/me", signedHeaders(one, host, "GET", "/api/v1/me", ""))
      expect(dataOf<{ handle: string }>(answer).handle).toBe(one.handle)
    }
    await asked("a first signed read (the actor is loaded)", me)
    await asked("a second one", me)
  })

  test("are a directory, of which a website reads what changed", async () => {
    const { bytes, tag } = await timed("the directory, made and read", readDirectory)
    console.log(`the directory, MB: ${(bytes / MEGABYTE).toFixed(0)}`)
    await asked("an unchanged directory", () => get("/api/v1/id/directory", { "if-none-match": tag }))
    await asked("what changed in it", () => get(`/api/v1/id/directory?since=${encodeURIComponent(tag)}`))
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--expose-gc", join(projectRoot, "tests/sdk/verify-memory-child.ts"), edge],
      { env: { ...process.env, ...MALLOC } }
    )
    const grown = JSON.parse(stdout) as { agents: number; peak: number; last: number; loads: ReadonlyArray<number> }
    console.log(
      `a website's verifier, MB: ${(grown.last / MEGABYTE).toFixed(0)} (at most ${(grown.peak / MEGABYTE).toFixed(0)}); ` +
        `reads ${grown.loads.map((ms) => (ms / 1000).toFixed(1)).join(", ")} s`
    )
    expect(grown.agents).toBe(AGENTS)
    expect(grown.peak).toBeLessThan(VERIFIER_BYTES)
    tellMemory("at the end")
  })

  test("do not keep a node from starting", async () => {
    const { actors } = service.system
    await actors[0]?.kill()
    await timed("an actor node, started and answering", async () => {
      await actors[0]?.restart()
      await waitFor(async () => (await send({ edge, method: "GET", path: "/api/v1/agents?per_page=1" })).status === 200)
    })
  })
})
