/** Computes the commands of a commit that was set aside, as this release derives them from the log. */
import type { NatsConnection } from "@nats-io/transport-node"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Archive } from "../log/archive/archive.ts"
import type { Commit } from "../log/commit.ts"
import { leaderMessage } from "../log/last-message.ts"
import type { Aside } from "./aside.ts"
import { type Command, commandsOf, type Reactions } from "./reaction.ts"

const TIMEOUT_MS = 3000

const text = new TextDecoder()

/**
 * Returns the command that was set aside, or all commands if the commit could not be read before. Returns none if the
 * commit has no consequences any more, or if neither the log nor the archive has it. Rejects if they do not answer or
 * the commit cannot be read; with `UnknownEvent` if a newer release wrote it.
 */
export const commandsAgain = async (
  nats: NatsConnection,
  { name, stream, follows }: Reactions,
  { seq, kind, id, command }: Aside,
  archive: Archive | undefined
): Promise<ReadonlyArray<Command>> => {
  const subject = subjects.event(kind, id)
  const data =
    (await inLog(nats, stream, seq, subject)) ??
    (archive === undefined || stream !== streams.events ? null : await inArchive(archive, seq, subject))
  if (data === null || data.length === 0) {
    const error = "the commit is gone: nothing follows from it any more"
    logNow("error", "reactor", { reactions: name, seq, kind, id, command: command?.op, actor: command?.actor, error })
    return []
  }
  const commit: Commit = JSON.parse(text.decode(data))
  const all = commandsOf(name, seq, follows(kind, commit, { id, seq, at: commit.at }))
  if (command === undefined) return all
  return all.filter(
    ({ told, which }) => told.kind === command.kind && told.actor === command.actor && which === command.which
  )
}

const inLog = async (nats: NatsConnection, stream: string, seq: number, subject: string) => {
  const found = await leaderMessage(nats, stream, { seq, next_by_subj: subject }, TIMEOUT_MS)
  return found?.seq === seq ? found.data : null
}

/** The log is asked first: a commit that it has dropped is in the archive by then. */
const inArchive = async (archive: Archive, seq: number, subject: string): Promise<Uint8Array | null> => {
  const page = await archive.page(seq - 1, 1, (one) => one === subject)
  return page?.commits.find((commit) => commit.seq === seq)?.data ?? null
}
