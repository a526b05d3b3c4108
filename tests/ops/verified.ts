/** A service with a history and snapshots of it, and what `hub verify` says of it. */
import { Effect } from "effect"
import { sql } from "kysely"
import { agentProjection } from "../../actors/agent/projection.ts"
import type { Projection } from "../../actors/projections/projection.ts"
import { rebuild, type RebuildParts, type Rebuilt } from "../../actors/projections/rebuild.ts"
import { Finding, type Options } from "../../ops/cli/command.ts"
import { verifyCommand } from "../../ops/cli/verify.ts"
import { waitFor } from "../harness/index.ts"
import { type TestService, testService } from "../support/service.ts"
import { type History, liveThrough } from "./history.ts"

const SNAPSHOT_EVERY = 5
const CHANGES = 12
export let service: TestService
export let past: History

export const openHistory = async (): Promise<void> => {
  service = await testService({ ownServers: true, limits: { "service.snapshot_every_commits": SNAPSHOT_EVERY } })
  past = await liveThrough(service)
  for (let change = 0; change < CHANGES; change++)
    await past.client.call("PATCH", "/api/v1/me", { body: { description: `Change ${change}.` } })
  await waitFor(
    () => service.view.db.selectFrom("snapshots").select("seq").where("id", "=", past.id).executeTakeFirst(),
    { describe: "a snapshot" }
  )
}

export const verify = async (values: Options = {}): Promise<string | Finding> =>
  (await verifyCommand.run(service.view, { positionals: [], values })) as string | Finding

export const found = async (values: Options = {}): Promise<string> => {
  const result = await verify(values)
  if (!(result instanceof Finding)) throw new Error(`nothing was found: ${result}`)
  return result.text
}

export const parts = (projection: Projection = agentProjection): RebuildParts => ({
  nats: service.view.nats,
  manager: service.view.manager,
  databaseUrl: service.view.databaseUrl,
  limits: service.view.limits,
  projection,
  progress: () => undefined
})

export const rebuilt = (given = parts()): Promise<Rebuilt> => Effect.runPromise(rebuild(given))

export const run = (text: string): Promise<unknown> => sql.raw(text).execute(service.view.db)
