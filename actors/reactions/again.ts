/** The commands of a commit that was put aside, as they follow from the log by this release. */
import type { NatsConnection } from "@nats-io/transport-node"
import { subjects } from "../../schemas/subjects.ts"
import type { Commit } from "../log/commit.ts"
import { leaderMessage } from "../log/last-message.ts"
import type { Aside } from "./aside.ts"
import { type Command, commandsOf, type Reactions } from "./reaction.ts"

const TIMEOUT_MS = 3000

const text = new TextDecoder()

/**
 * All that follows where the commit could not be read before; nothing where it is gone, or nothing follows any more.
 * Rejects when the log does not answer, with `UnknownEvent` where a newer release wrote it, or when it cannot be read.
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
