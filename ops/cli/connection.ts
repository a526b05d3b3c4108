/**
 * The connections of operator commands: the bus, the log, an asker, Postgres. The bus is connected at once, Postgres
 * when it is first used. `close` ends all of them.
 */
import { randomBytes } from "node:crypto"
import { userInfo } from "node:os"
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream"
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { type Clock, Effect, Exit, Scope } from "effect"
import type { Kysely } from "kysely"
import { type Database, openDatabase, PATIENT_CONNECT_MS } from "../../actors/tables/database.ts"
import type { Archive } from "../../actors/log/archive/archive.ts"
import { ArchiveMissing, openArchive, type OpenArchive } from "../../actors/log/archive/open.ts"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { setMinimumTimeout } from "../../actors/log/requests.ts"
import { OPERATOR_NAME, operatorCommand } from "../../actors/engine/command-ids.ts"
import { KvLeases } from "../../actors/engine/leases.ts"
import { isMissing } from "../../actors/log/jetstream-codes.ts"
import { HalfRestored, refuseHalfRestored } from "../../actors/log/restore-mark.ts"
import { machineClock, wallMs } from "../../schemas/runtime/clock.ts"
import { Asker } from "../../schemas/runtime/bus/asker.ts"
import { type OperationName, OPERATIONS, type Operations } from "../../schemas/bus/operations.ts"
import { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { buckets } from "../../schemas/subjects.ts"
import { transportOver } from "../../schemas/runtime/bus/transport.ts"
import { readArchiveSettings } from "../../schemas/archive/settings.ts"
import { type Limits, LIMITS } from "../../schemas/limits.ts"
import { overrideLimits } from "../../schemas/limits-override.ts"
import { Fault } from "./fault.ts"

const CONNECT_TIMEOUT_MS = 15_000
/** The time that the bus has for each answer. */
const PATIENCE_MS = 60_000
/** A command that waits for new commits reconnects for five minutes. Other commands end by their own timeouts. */
const RECONNECT_TRIES = 1200
const RECONNECT_MS = 250
const COMMAND_DEADLINE_MS = 30_000

export interface Service {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly log: JetStreamLog
  /** The archive with the log's older part. `undefined` if the log keeps everything. */
  readonly archive: Archive | undefined
  /** The same archive with its parts, for commands that archive commits or copy the archive. */
  readonly opened: OpenArchive | null
  readonly view: LeaseView
  readonly asker: Asker
  readonly db: Kysely<Database>
  /** The address for separate connections with other settings. It contains a password and must not be printed. */
  readonly databaseUrl: string
  /**
   * `HUB_TRACES_QUERY`, the address of a trace store (ops/explain/spans.ts); empty if there is none. It may contain a
   * password.
   */
  readonly tracesQuery: string
  /** The limits from HUB_LIMITS, which must be set to the same value as for the nodes. */
  readonly limits: Limits
  readonly clock: Clock.Clock
  /** Carries out a command and returns the answer's data. Throws a Fault with the message of a refusal. */
  readonly command: <Name extends OperationName>(
    op: Name,
    actor: string,
    input: Operations[Name]["input"]
  ) => Promise<Operations[Name]["output"]>
  /** Like `command`, but in the name of the given operator, and with a reason. */
  readonly commandBy: (operator: Commanding) => Service["command"]
  readonly close: () => Promise<void>
}

interface Commanding {
  /** A name that matches `OPERATOR_NAME`. */
  readonly name: string
  readonly why?: string
  /** Makes 24 hex characters for each command. A repeated command must get the same ones. */
  readonly unique?: () => string
}

/** Longest waits for the servers, each in ms. */
export interface Patience {
  readonly connectMs: number
  readonly answerMs: number
  readonly postgresMs: number
  /** The number of tries to reach a server again; -1 for no limit. */
  readonly reconnects: number
}

const PATIENT: Patience = {
  connectMs: CONNECT_TIMEOUT_MS,
  answerMs: PATIENCE_MS,
  postgresMs: PATIENT_CONNECT_MS,
  reconnects: RECONNECT_TRIES
}

/** Throws a Fault if the addresses of the servers are missing or wrong. */
export const refuseSettings = (env: NodeJS.ProcessEnv): void => void addressesIn(env)

const addressesIn = (env: NodeJS.ProcessEnv) => {
  const url = env["HUB_NATS_URL"]
  const databaseUrl = env["HUB_DATABASE_URL"]
  if (!url || !databaseUrl)
    throw new Fault("set HUB_NATS_URL and HUB_DATABASE_URL, or start the service on this machine")
  const servers = busServers(url, "operator")
  if (servers === null) throw new Fault("HUB_NATS_URL must be an address such as nats://host:4222 or tls://host:4222")
  return { servers, databaseUrl }
}

const limitsIn = (env: NodeJS.ProcessEnv): Limits => {
  const read = overrideLimits(env["HUB_LIMITS"])
  if (!read.ok) throw new Fault(read.problem)
  return read.limits
}

export const archiveIn = (env: NodeJS.ProcessEnv) => {
  const read = readArchiveSettings(env)
  if (!read.ok) throw new Fault(read.problem)
  return read.settings
}

/** Connects to the bus, and reads the address of Postgres. No stream and no table needs to exist. */
export const openServers = async (
  env: NodeJS.ProcessEnv,
  { connectMs, answerMs, reconnects }: Omit<Patience, "postgresMs"> = PATIENT
): Promise<Pick<Service, "nats" | "manager" | "databaseUrl">> => {
  const { servers, databaseUrl } = addressesIn(env)
  const nats = await connect({
    ...servers,
    name: "hub-cli",
    timeout: connectMs,
    maxReconnectAttempts: reconnects,
    reconnectTimeWait: RECONNECT_MS
  }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? ` (${cause.message})` : ""
    throw new Fault(`nats-server does not answer${reason}; is the service running?`)
  })
  setMinimumTimeout(nats, answerMs)
  return { nats, manager: await jetstreamManager(nats, { timeout: answerMs }), databaseUrl }
}

const refuseUnfit = async (manager: JetStreamManager): Promise<void> => {
  try {
    await refuseHalfRestored(manager)
    await manager.streams.info(`KV_${buckets.leases}`)
  } catch (error) {
    if (error instanceof HalfRestored) throw new Fault(error.message)
    if (isMissing(error)) throw new Fault("the service's streams are not there: run hub migrate")
    throw error
  }
}

const randomUnique = (): string => randomBytes(12).toString("hex")

/** `HUB_OPERATOR`, or the account of this machine. It becomes part of each command's id, and so of the log. */
export const operatorIn = (env: NodeJS.ProcessEnv): string => {
  const named = env["HUB_OPERATOR"]
  if (named !== undefined && named !== "") {
    if (!OPERATOR_NAME.test(named)) throw new Fault("HUB_OPERATOR takes up to 32 letters, digits and _")
    return named
  }
  return (
    accountName()
      .replace(/[^A-Za-z0-9_]/g, "_")
      .slice(0, 32) || "unknown"
  )
}

/** A container may run under a user number that has no account. */
const accountName = (): string => {
  try {
    return userInfo().username
  } catch {
    return "unknown"
  }
}

/** `clock` is the clock of the service's nodes, which tests may move. */
export const openService = async (
  env: NodeJS.ProcessEnv,
  clock: Clock.Clock = machineClock,
  patience: Patience = PATIENT
): Promise<Service> => {
  const [limits, settings] = [limitsIn(env), archiveIn(env)]
  const { nats, manager, databaseUrl } = await openServers(env, patience)
  await refuseUnfit(manager).catch(async (error: unknown) => {
    await nats.close()
    throw error
  })
  const view = new LeaseView()
  const scope = Scope.makeUnsafe()
  await Effect.runPromise(Scope.provide(KvLeases.watching(nats, view), scope))
  const { service } = LIMITS
  const asker = new Asker(
    clock,
    transportOver(nats, () => undefined),
    view,
    { role: "operator", name: randomBytes(6).toString("hex") },
    {
      maxInFlight: service.max_asks_in_flight,
      maxFrameBytes: service.max_frame_bytes
    }
  )
  const db = openDatabase(databaseUrl, patience.postgresMs)
  const commandBy: Service["commandBy"] =
    ({ name, why, unique = randomUnique }) =>
    async (op, actor, input) => {
      const ask = {
        id: operatorCommand(name, unique()),
        kind: OPERATIONS[op].kind,
        actor,
        op,
        input,
        why,
        deadline: wallMs(clock) + COMMAND_DEADLINE_MS
      }
      const answer = await asker.ask(ask)
      if (answer.head.refused !== undefined) throw new Fault(answer.head.refused.message, answer.head.refused.code)
      return JSON.parse(new TextDecoder().decode(answer.body))
    }
  const opened = await openArchive(settings, { clock, nats, db }).catch(async (error: unknown) => {
    await Promise.allSettled([nats.close(), db.destroy()])
    throw error instanceof ArchiveMissing ? new Fault(error.message) : error
  })
  const command: Service["command"] = async (op, actor, input) => commandBy({ name: operatorIn(env) })(op, actor, input)
  return {
    nats,
    manager,
    log: new JetStreamLog(clock, nats, {
      batchMax: service.commit_batch_max,
      queueMax: service.commit_queue_max,
      replicated: true,
      archive: opened?.archive
    }),
    archive: opened?.archive,
    opened,
    view,
    asker,
    db,
    databaseUrl,
    tracesQuery: env["HUB_TRACES_QUERY"] ?? "",
    limits,
    clock,
    command,
    commandBy,
    close: async () => {
      asker.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await Promise.allSettled([nats.close(), db.destroy()])
    }
  }
}
