/** Computes the commands of a commit that was put aside, as this release derives them from the log. */
import type { NatsConnection } from "@nats-io/transport-node"
import { subjects } from "../../schemas/subjects.ts"
import type { Commit } from "../log/commit.ts"
import { leaderMessage } from "../log/last-message.ts"
import type { Aside } from "./aside.ts"
import { type Command, commandsOf, type Reactions } from "./reaction.ts"

const TIMEOUT_MS = 3000

const text = new TextDecoder()

/**
 * All commands, if the commit could not be read before. None if the commit is gone, or if nothing follows from it any
 * more. Rejects when the log does not answer, with `UnknownEvent` if a newer release wrote the commit, or when it
 * cannot be read.
 */
export const commandsAgain = async (
  nats: NatsConnection,
  { name, stream, follows }: Reactions,
  { seq, kind, id, command }: Aside
): Promise<ReadonlyArray<Command>> => {
  const found = await leaderMessage(nats, stream, { seq, next_by_subj: subjects.event(kind, id) }, TIMEOUT_MS)
  if (found === null || found.seq !== seq || found.data.length === 0) return []
  const commit: Commit = JSON.parse(text.decode(found.data))
  const all = commandsOf(name, seq, follows(kind, commit, { id, seq, at: commit.at }))
  if (command === undefined) return all
  return all.filter(
    ({ told, which }) => told.kind === command.kind && told.actor === command.actor && which === command.which
  )
}
