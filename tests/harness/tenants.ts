/**
 * One nats-server and one Postgres for a worker, from its first file to its last. Each system under test is a tenant.
 * It has an account of the bus with the users and rights of production, and a copy of a migrated database.
 *
 * Invariants
 *  - Tenants do not see each other's subjects, streams, consumers and tables.
 *  - A tenant that has ended leaves nothing: its streams are deleted before its account is given to another, and its
 *    database is dropped.
 *  - A worker has at most `ACCOUNTS` tenants at a time; one more is an error of the test.
 */
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { jetstreamManager } from "@nats-io/jetstream"
import { connect, type NatsConnection, type NodeConnectionOptions } from "@nats-io/transport-node"
import pg from "pg"
import { addressFor, drawPasswords, operatorAddress, rolesFile } from "../../ops/launcher/bus-users.ts"
import { type RunningServer, startNats } from "../../ops/launcher/nats.ts"
import type { NodeKind } from "../../ops/launcher/node-environment.ts"
import { startPostgres } from "../../ops/launcher/postgres.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { serverOptions, TEMPLATE_DATABASE, testFolder } from "./servers.ts"

const ACCOUNTS = 12
const REGISTRY = Symbol.for("hub.tests.tenants")
/** The most connections of all tenants together. */
const POSTGRES_CONNECTIONS = "300"

export interface Tenant {
  /** The bus's address with the name and password of a node's user. `roles` is the value of HUB_ROLES. */
  readonly natsUrl: (kind: NodeKind, roles: string | undefined) => string
  /** The operator's address of the bus. */
  readonly operatorUrl: string
  /** Empty if `tables` is false. */
  readonly databaseUrl: string
  /** The folder in which the server stores the account's streams. */
  readonly store: string
  readonly release: () => Promise<void>
}

export interface TenantOptions {
  /** False for no database. By default there is one with every table of this release. */
  readonly tables?: boolean
}

interface Tenants {
  readonly open: (options: TenantOptions) => Promise<Tenant>
  readonly stop: () => Promise<void>
}

/**
 * The users of production in separate accounts. They are called `t0-edge` and so on, because a server needs unique
 * names.
 */
const usersOf = (roles: string): string => {
  const users = /users\s*=\s*\[([\s\S]*)\]\s*\}\s*$/.exec(roles)?.[1]
  if (users === undefined) throw new Error(`${rolesFile} does not end with a list of users`)
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => {
    const named = users.replaceAll(/^(\s*user: )(\w+)/gm, `$1t${index}-$2`)
    return `t${index} { jetstream: enabled\n users: [${named}] }`
  })
  return `authorization { timeout: 20 }\naccounts {\n${accounts.join("\n")}\n}\n`
}

const emptied = async (operatorUrl: string): Promise<void> => {
  const nats = await connectTo(operatorUrl, { timeout: 60_000 })
  try {
    const manager = await jetstreamManager(nats, { timeout: 60_000 })
    const names: Array<string> = []
    for await (const name of manager.streams.names()) names.push(name)
    await Promise.all(names.map((name) => manager.streams.delete(name)))
  } finally {
    await nats.close()
  }
}

const administered = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

const databaseAt = (url: string, name: string): string => {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

const start = async (): Promise<Tenants> => {
  const folder = await testFolder("tenants")
  const { nats, postgres } = await serverOptions(folder, {
    postgresSettings: { max_connections: POSTGRES_CONNECTIONS }
  })
  if (typeof nats === "string" || typeof postgres === "string") throw new Error("the servers of tests are their own")
  const users = join(folder, "users.conf")
  await writeFile(users, usersOf(await readFile(rolesFile, "utf8")))
  const passwords = drawPasswords()
  const [bus, tables]: [RunningServer, RunningServer] = await Promise.all([
    startNats({ ...nats, users, passwords }),
    startPostgres(postgres)
  ])
  const free = Array.from({ length: ACCOUNTS }, (_, index) => index)
  const administration = databaseAt(tables.url, "postgres")
  let databases = 0

  const open = async ({ tables: wanted = true }: TenantOptions): Promise<Tenant> => {
    const account = free.shift()
    if (account === undefined) throw new Error(`more than ${ACCOUNTS} systems at a time: stop those that are done`)
    const named = (url: string): string => url.replace("nats://", `nats://t${account}-`)
    const operatorUrl = named(operatorAddress(bus.url, passwords))
    const database = `hub_${databases++}`
    if (wanted)
      await administered(administration, `create database ${database} template ${TEMPLATE_DATABASE} strategy file_copy`)
    return {
      natsUrl: (kind, roles) => named(addressFor(kind === "edge" ? kind : "actor", roles, bus.url, passwords)),
      operatorUrl,
      databaseUrl: wanted ? databaseAt(tables.url, database) : "",
      store: join(nats.dataDir, "jetstream", `t${account}`),
      release: async () => {
        await Promise.all([
          emptied(operatorUrl),
          wanted ? administered(administration, `drop database if exists ${database} with (force)`) : undefined
        ])
        free.push(account)
      }
    }
  }
  return { open, stop: async () => void (await Promise.all([bus.stop(), tables.stop()])) }
}

/**
 * The environment's module is loaded separately from the tests' modules. Both find the registry in the global object.
 */
const held = globalThis as { [REGISTRY]?: Promise<Tenants> | undefined }

export const openTenant = async (options: TenantOptions = {}): Promise<Tenant> =>
  (await (held[REGISTRY] ??= start())).open(options)

/** The worker's servers for a test without nodes. */
export interface OpenServers {
  /** A folder for other files of the test. */
  readonly folder: string
  readonly nats: { readonly url: string }
  readonly postgres: { readonly url: string }
  readonly stop: () => Promise<void>
}

export const openServers = async (): Promise<OpenServers> => {
  const [folder, tenant] = await Promise.all([testFolder("servers"), openTenant()])
  const { operatorUrl, databaseUrl, release } = tenant
  const stop = async (): Promise<void> => {
    await release()
    await rm(folder, { recursive: true, force: true })
  }
  return { folder, nats: { url: operatorUrl }, postgres: { url: databaseUrl }, stop }
}

/** A connection with the operator's rights. */
export const connectTo = (url: string, options: NodeConnectionOptions = {}): Promise<NatsConnection> =>
  connect({ ...busServers(url, "operator"), ...options })

/** Ends the servers. Called when the worker ends. */
export const endTenants = async (): Promise<void> => {
  const tenants = held[REGISTRY]
  held[REGISTRY] = undefined
  await (await tenants)?.stop()
}
