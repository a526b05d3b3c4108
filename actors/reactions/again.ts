/** Computes the commands of a commit that was set aside, as this release derives them from the log. */
import type { NatsConnection } from "@nats-io/transport-node"
import { subjects } from "../../schemas/subjects.ts"
import type { Commit } from "../log/commit.ts"
import { leaderMessage } from "../log/last-message.ts"
import type { Aside } from "./aside.ts"
import { type Command, commandsOf, type Reactions } from "./reaction.ts"

const TIMEOUT_MS = 3000

const text = new TextDecoder()

/**
 * Returns the command that was set aside, or all commands if the commit could not be read before. Returns none if the
 * commit is gone or has no consequences any more. Rejects if the log does not answer or the commit cannot be read; with
 * `UnknownEvent` if a newer release wrote it.
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
