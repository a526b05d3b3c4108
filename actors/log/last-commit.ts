/** The newest commit of an actor that only others write to, as the server's leader has it. */
import type { NatsConnection } from "@nats-io/transport-node"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Commit } from "./commit.ts"
import { lastMessage } from "./last-message.ts"

const TIMEOUT_MS = 3000

const text = new TextDecoder()

/** `null` where there is none, or none any more. Rejects when the log does not answer. */
export const lastCommit = async (
  nats: NatsConnection,
  kind: string,
  id: string
): Promise<{ readonly seq: number; readonly commit: Commit } | null> => {
  const last = await lastMessage(nats, streams.events, subjects.event(kind, id), TIMEOUT_MS)
  if (last === null || last.data.length === 0) return null
  return { seq: last.seq, commit: JSON.parse(text.decode(last.data)) }
}
