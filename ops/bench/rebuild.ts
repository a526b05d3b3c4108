/**
 * Makes the read model of agents again from a million commits while the service runs, then compares the read models
 * with the log. It runs the code of `hub rebuild` and `hub verify`. Changes go through all agents in turn, so that a
 * batch of the log hardly ever has two of one agent. This is the worst case for the tables.
 */
import { jetstreamManager } from "@nats-io/jetstream"
import { Effect } from "effect"
import { agentProjection } from "../../actors/agent/projection.ts"
import { rebuild } from "../../actors/projections/rebuild.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { verifyCommand } from "../cli/verify.ts"
import { cpuOf } from "./cpu.ts"
import { COMMITS, REGISTERED, withMillion } from "./million.ts"

export const rebuildCase = (say: (line: string) => void): Promise<void> =>
  withMillion(async ({ service, nats, view, behindSeconds }) => {
    say(
      `\n${COMMITS} commits, ${COMMITS + REGISTERED} events, of ${REGISTERED} agents; ` +
        `the service was up with them ${behindSeconds.toFixed(1)} s after the last`
    )
    const before = cpuOf(service.measured.processes()["postgres"] ?? [])
    const own = process.cpuUsage()
    const parts = {
      nats,
      manager: await jetstreamManager(nats),
      databaseUrl: service.stack.postgres.url,
      limits: LIMITS,
      projection: agentProjection,
      progress: () => undefined
    }
    const { messages, seconds } = await Effect.runPromise(rebuild(parts))
    const { user, system } = process.cpuUsage(own)
    const postgres = cpuOf(service.measured.processes()["postgres"] ?? []) - before
    say(
      `rebuilt while it ran: ${messages} commits in ${seconds.toFixed(1)} s, ${Math.round(messages / seconds)} commits ` +
        `and ${Math.round((messages + REGISTERED) / seconds)} events a second; ` +
        `CPU a commit: ${((user + system) / messages).toFixed(1)} us here, ` +
        `${(postgres / messages).toFixed(1)} us in Postgres`
    )
    say(String(await verifyCommand.run(view, { positionals: [], values: {} })))
  })
