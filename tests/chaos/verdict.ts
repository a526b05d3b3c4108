/** What must hold after every fault, whatever it was. */
import { expect } from "vitest"
import { SHARD_COUNT, shardOf } from "../../schemas/subjects.ts"
import type { Service } from "../../ops/cli/connection.ts"
import { clusterOf } from "../../ops/status/cluster.ts"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { logOf } from "../support/service.ts"
import type { Load } from "./load.ts"

/** The log itself says what was applied: every acknowledged write once, none twice, in the order they were made. */
export async function expectAppliedOnce(load: Load, view: Service): Promise<void> {
  for (const agent of load.agents) {
    const entries = await logOf(view, "agent", agent.hubId)
    const written = entries.flatMap(({ commit }) =>
      commit.events.flatMap((event) =>
        "description" in event && event.type === "agent.profile_changed" ? [event.description] : []
      )
    )
    expect(written, `writes of agent ${agent.index} in the log`).toEqual(agent.tokens)
  }
}

/** Requests that were answered, sent again byte for byte, on every edge. */
export async function expectReplaysRefused(load: Load, edges: ReadonlyArray<string>): Promise<void> {
  const recorded = load.agents.flatMap((agent) => agent.answered)
  expect(recorded.length).toBeGreaterThan(load.agents.length)
  for (const edge of edges) {
    const answers = await Promise.all(recorded.map((exchange) => send({ ...exchange, edge })))
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.code}`))).toEqual(
      new Set(["401 auth_nonce_reused"])
    )
  }
}

/** Well-made clients met nothing that they could not wait out. */
export function expectNoFault(load: Load): void {
  expect(load.faults).toEqual([])
}

export function ownersOf(view: Service): ReadonlyArray<string> {
  return Array.from({ length: SHARD_COUNT }, (_, shard) => view.view.ownerOf(shard) ?? "nobody")
}

/** Every shard has a living owner, and this many sessions share them. */
export function isSettled(view: Service, sessions: number): boolean {
  const owners = new Set(ownersOf(view))
  return owners.size === sessions && [...owners].every((owner) => view.view.isLive(owner))
}

export function homeOf(view: Service, actor: string): string {
  return view.view.ownerOf(shardOf(actor)) ?? "nobody"
}

/** Once the process, which runs, has told of itself. */
export function sessionOf(view: Service, pid: number | null): Promise<string> {
  if (pid === null) throw new Error("a process that does not run has no session")
  return waitFor(
    async () => {
      const { nodes } = await clusterOf(view)
      return nodes.find((node) => node.pid === pid)?.session
    },
    { describe: `the session of process ${pid}` }
  )
}
