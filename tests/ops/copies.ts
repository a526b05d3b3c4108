/** A bus under as many writes as it takes, and another into which it is restored. */
import { Effect, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { AckPolicy, jetstream, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { expect } from "vitest"
import { nextNumber } from "../../actors/log/counters.ts"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { pagesOf } from "../../actors/log/stream-pages.ts"
import { ensureStreams } from "../../actors/log/streams.ts"
import { ScheduledTimers } from "../../actors/engine/timers.ts"
import { backup } from "../../ops/backup/backup.ts"
import type { Manifest } from "../../ops/backup/manifest.ts"
import { restore } from "../../ops/backup/restore.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { keyPairOfSeed } from "../../schemas/signing/seed.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import { connectTo, type Servers, startServers, waitFor } from "../harness/index.ts"
import { breath } from "../support/breath.ts"
import type { Desk } from "../support/operator.ts"

// A server on one core seldom takes a copy while a batch is being written, which is what is looked for here.
process.env["GOMAXPROCS"] = String(Math.max(2, availableParallelism()))

interface Side {
  readonly servers: Servers
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly desk: Desk
}

/** Of registration, roughly. */
export const GROUP = 14

/** So many that some are replaced while they are copied. */
const COUNTED = 20_000

/** Of those who write commits of several actors: beyond that they go on, but slowly, or a copy has no end. */
const WRITERS = 64
const FAST_TURNS = 30
const SLOW_TURN_MS = 500

/** Prime to COUNTED: the next to be replaced stands anywhere in the stream. */
const STRIDE = 7919

/** Counts grow from one load to the next. */
const ROUND = 1_000_000

const COUNTERS = 8
export const seed = randomBytes(32)
export const serviceKey = Buffer.from(keyPairOfSeed(seed).publicKey).toString("base64")
export const signal = new AbortController().signal
export let from: Side
export let into: Side
export let folder = ""

async function side(): Promise<Side> {
  const servers = await startServers()
  const nats = await connectTo(servers.nats.url)
  return {
    servers,
    nats,
    manager: await jetstreamManager(nats, { timeout: 60_000 }),
    desk: { natsUrl: servers.nats.url, databaseUrl: servers.postgres.url, serverKey: seed.toString("base64") }
  }
}

export const logOf = (nats: NatsConnection): JetStreamLog =>
  new JetStreamLog(machineClock, nats, {
    batchMax: LIMITS.service.commit_batch_max,
    queueMax: LIMITS.service.commit_queue_max
  })

const timersConsumer = {
  durable_name: consumers.timers,
  ack_policy: AckPolicy.Explicit,
  filter_subject: subjects.timerFires,
  max_ack_pending: 200
}

export const commit = (log: JetStreamLog, names: ReadonlyArray<string>) =>
  log.append(
    names.map((name) => ({
      subject: subjects.event("test", name),
      expected: 0,
      commit: { v: 1 as const, id: name, op: "test", at: Date.now(), events: [] }
    }))
  )

export async function committed(nats: NatsConnection): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const page of await Effect.runPromise(Stream.runCollect(pagesOf(nats, streams.events, 0, 1000))))
    for (const { subject } of page) names.add(subject.slice(subjects.event("test", "").length))
  return names
}

export const taken = (to: string): Promise<Manifest> =>
  backup(to, { nats: from.nats, manager: from.manager, serviceKey, signal, progress: () => undefined })

export const brought = (of: string, gap = 0) =>
  restore(of, {
    nats: into.nats,
    manager: into.manager,
    databaseUrl: into.desk.databaseUrl,
    serviceKey,
    limits: LIMITS,
    replicas: null,
    gap,
    cards: false,
    replace: true,
    signal,
    progress: () => undefined
  })

export const heldBy = async ({ manager }: Side): Promise<ReadonlyArray<string>> =>
  (await manager.streams.names().next()).toSorted()

export async function emptied(): Promise<void> {
  for (const name of await heldBy(into)) await into.manager.streams.delete(name)
}

export const openSides = async (): Promise<void> => {
  const sides = await Promise.all([side(), side()])
  from = sides[0]
  into = sides[1]
  folder = join(from.servers.folder, "backup")
  await ensureStreams(from.nats, LIMITS, 1)
  await from.manager.consumers.add(streams.timers, timersConsumer)
  for (let index = 0; index < COUNTED - 1; index++) from.nats.publish(subjectOfCount(index), "1")
  await from.nats.request(subjectOfCount(COUNTED - 1), "1", PATIENT)
  const { state } = await from.manager.streams.info(streams.verified)
  expect(state.messages).toBe(COUNTED)
}

export const closeSides = async (): Promise<void> => {
  for (const one of [from, into]) {
    await one?.nats.close()
    await one?.servers.stop()
  }
}

interface Load {
  readonly acknowledged: ReadonlySet<string>
  readonly counts: ReadonlyArray<number>
  readonly stop: () => Promise<void>
}

const PATIENT = { timeout: 60_000 }
export const subjectOfCount = (index: number): string => subjects.verified("agent", `site${index}`)

/**
 * Commits of several actors, counts of which only the newest is kept, numbers, and timers that are set, fire and are
 * answered.
 */
export async function load(round: number): Promise<Load> {
  const { nats } = from
  const log = logOf(nats)
  const timers = new ScheduledTimers(nats)
  const acknowledged = new Set<string>()
  const counts = Array.from({ length: COUNTED }, () => 1)
  const over = new AbortController()
  const groups = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      if (turn >= FAST_TURNS) await delay(SLOW_TURN_MS)
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
      await nats.request(subjectOfCount(index), String(count), PATIENT)
      counts[index] = count
      if (turn >= COUNTED) await breath()
    }
  })
  const drawing = (async () => {
    while (!over.signal.aborted) {
      await commit(log, [`number-${await nextNumber(nats, "agent")}`])
      await breath()
    }
  })()
  const setting = Array.from({ length: 4 }, async (_, writer) => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const name = `${writer}-${turn}-${randomBytes(4).toString("hex")}`
      await timers.set("test", name, "due", Date.now() + 30)
      if ((await commit(log, [`set-${name}`])).ok) acknowledged.add(`set-${name}`)
      await breath()
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
export async function fires(): Promise<{ readonly names: ReadonlySet<string>; readonly stop: () => Promise<void> }> {
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
