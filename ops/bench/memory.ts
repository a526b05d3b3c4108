/** Measures the memory of an idle resident actor, and of one actor process with many registered and resident agents. */
import { Effect, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { jetstreamManager } from "@nats-io/jetstream"
import { type ActorServices, actorServices } from "../../actors/engine/services.ts"
import { KINDS } from "../../actors/process/kinds.ts"
import { OUR_BANK } from "../../actors/registration/questions/bank/index.ts"
import { AccountKeys } from "../../actors/kit/account-keys.ts"
import { openLetters } from "../../actors/letter/letters.ts"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { ActorHost } from "../../actors/engine/host.ts"
import { type NonceHome, NonceLog } from "../../actors/log/nonces.ts"
import type { NodeParts } from "../../actors/process/kinds.ts"
import { NEVER_RESTORED } from "../../actors/log/last-restore.ts"
import { KvLeases } from "../../actors/engine/leases.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Asker } from "../../schemas/runtime/bus/asker.ts"
import { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { transportOver } from "../../schemas/runtime/bus/transport.ts"
import { LIMITS, type Limits } from "../../schemas/limits.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { residentBytes } from "./cpu.ts"
import { projected, registerDirectly } from "./registrations.ts"
import { startService } from "./subjects-under-test.ts"

const REGISTERED = 100_000
const RESIDENT = 10_000
const IN_FLIGHT = 200
const SETTLE_MS = 3000

export const memoryCases = async (say: (line: string) => void): Promise<void> => {
  const service = await startService(1, 1)
  const nats = await connect(busServers(service.stack.nats.operatorUrl, "operator") ?? { servers: [] })
  const limits: Limits["service"] = LIMITS.service
  try {
    const log = new JetStreamLog(machineClock, nats, {
      batchMax: limits.commit_batch_max,
      queueMax: limits.commit_queue_max
    })
    const ids = await registerDirectly(log, REGISTERED)
    await projected(service.baseUrl, REGISTERED)
    const view = new LeaseView()
    await Effect.runPromise(Scope.provide(KvLeases.watching(nats, view), Scope.makeUnsafe()))
    const asker = new Asker(
      machineClock,
      transportOver(nats, () => undefined),
      view,
      { role: "operator", name: randomBytes(4).toString("hex") },
      { maxInFlight: limits.max_asks_in_flight, maxFrameBytes: limits.max_frame_bytes }
    )
    await activate(asker, ids.slice(0, RESIDENT))
    await delay(SETTLE_MS)
    const resident = residentBytes(service.stack.actors[0]?.pid ?? 0)
    const each = await bytesOfIdleActor(nats, log, ids.slice(0, RESIDENT))
    say(
      `\nmemory, ${REGISTERED} registered, ${RESIDENT} resident in one actor process: ` +
        `${(resident / 1e6).toFixed(0)} MB resident set; an idle actor takes ${(each / 1024).toFixed(2)} KB of heap`
    )
    asker.close()
  } finally {
    await nats.close()
    await service.stop()
  }
}

/**
 * The average heap size of a resident actor. The engine's host runs in this process, and the heap is measured after
 * collections.
 */
const bytesOfIdleActor = async (
  nats: NatsConnection,
  log: JetStreamLog,
  ids: ReadonlyArray<string>
): Promise<number> => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  const limits = LIMITS
  const nonceLog = (home: NonceHome) => Effect.runSync(Scope.provide(NonceLog.make(nats, home), Scope.makeUnsafe()))
  const seed = new Uint8Array(32)
  const config = {
    limits,
    env: "development",
    baseUrl: "http://127.0.0.1",
    captchaBypass: null,
    name: "Hub",
    hosts: [],
    mail: null,
    console: { url: "http://127.0.0.1:8081" }
  } as const
  const letters = openLetters({ ...config, letters: null, chat: null, push: null, mail: null, data: "" })
  const parts: NodeParts = {
    nats,
    manager: await jetstreamManager(nats),
    config,
    bank: OUR_BANK,
    seed,
    clock: machineClock,
    accounts: new AccountKeys(nats, seed),
    mail: null,
    letters: Effect.runSync(Scope.provide(letters, Scope.makeUnsafe())),
    log,
    nonces: nonceLog({
      stream: streams.nonces,
      subject: subjects.nonce,
      keepSeconds: limits.authentication.nonce_reuse_seconds
    }),
    restored: NEVER_RESTORED,
    proofs: nonceLog({
      stream: streams.proofs,
      subject: subjects.proof,
      keepSeconds: limits.identity.nonce_memory_seconds
    }),
    stateOf: (kind, id) => host.stateOf(kind, id)
  }
  const asks = () => Promise.reject(new Error("no actor asks here"))
  const host: ActorHost<ActorServices> = Effect.runSync(
    ActorHost.make(
      KINDS.map((kind) => kind.make(parts)),
      {
        log,
        snapshots: { load: () => Promise.resolve(null), save: () => Promise.resolve(), drop: () => Promise.resolve() },
        timers: { set: () => Promise.resolve() },
        readModels: { reached: () => Promise.resolve() },
        limits: limits.service,
        now: Date.now,
        touched: () => Promise.resolve()
      }
    ).pipe(Effect.provide(actorServices(machineClock, nats, asks)), Scope.provide(Scope.makeUnsafe()))
  )
  const load = async (some: ReadonlyArray<string>) => {
    for (let from = 0; from < some.length; from += IN_FLIGHT) {
      await Promise.all(
        some.slice(from, from + IN_FLIGHT).map((id) => host.stateOf({ kind: "agent", initial: null }, id))
      )
    }
    collect()
    return process.memoryUsage().heapUsed
  }
  const [warm, rest] = [ids.slice(0, 1000), ids.slice(1000)]
  const before = await load(warm)
  return ((await load(rest)) - before) / rest.length
}

const activate = async (asker: Asker, ids: ReadonlyArray<string>): Promise<void> => {
  let next = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < ids.length) {
        const actor = ids[next++] ?? ""
        const answer = await asker.ask({
          id: randomBytes(8).toString("hex"),
          kind: "agent",
          actor,
          op: "agent.profile",
          input: null,
          deadline: Date.now() + 10_000
        })
        if (answer.head.refused !== undefined) throw new Error(answer.head.refused.message)
      }
    })
  )
}
