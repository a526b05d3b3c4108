/** Prepares a stack for its nodes: one address for all edges, and the tables and streams of this release. */
import { hubUrlInside } from "../../schemas/compartment/hub-url.ts"
import { migrate, migrateStreams } from "../migrations/migrate.ts"
import { codeOf, LaunchFault, messageOf } from "./fault.ts"

/**
 * Variables that make several edges one service. All edges link to one address and accept signatures for it, whichever
 * port each listens on. Without a public address a signature may name any of the edges.
 */
export function addressing(
  env: NodeJS.ProcessEnv,
  baseUrl: string,
  edgePorts: ReadonlyArray<number>,
  fromCompartments = false
): NodeJS.ProcessEnv {
  const inside = fromCompartments ? [new URL(hubUrlInside(baseUrl)).host] : []
  const ownHosts = [...edgePorts.map((port) => `127.0.0.1:${port}`), ...inside].join(",")
  return {
    HUB_BASE_URL: baseUrl,
    ...(env["HUB_BASE_URL"] || env["HUB_HOSTS"] ? {} : { HUB_HOSTS: ownHosts })
  }
}

export async function migrateTables(databaseUrl: string): Promise<void> {
  try {
    await migrate(databaseUrl)
  } catch (cause) {
    throw new LaunchFault(
      `the tables of Postgres could not be brought up to date: ${messageOf(cause) || codeOf(cause)}`
    )
  }
}

/** `natsUrl` has the operator's user, because nodes have no right to make streams. */
export async function makeStreams(natsUrl: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await migrateStreams({ ...env, HUB_NATS_URL: natsUrl })
  } catch (cause) {
    throw new LaunchFault(`the streams of NATS could not be brought up to date: ${messageOf(cause) || codeOf(cause)}`)
  }
}
