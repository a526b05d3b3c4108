/** The newest commit of an actor that only others write to, or the oldest of one, as the server's leader has it. */
import type { NatsConnection } from "@nats-io/transport-node"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Commit } from "./commit.ts"
import { leaderMessage, lastMessage, type LeaderMessage } from "./last-message.ts"

const TIMEOUT_MS = 3000

const text = new TextDecoder()

interface Found {
  readonly seq: number
  readonly commit: Commit
}

const foundIn = (message: LeaderMessage | null): Found | null =>
  message === null || message.data.length === 0
    ? null
    : { seq: message.seq, commit: JSON.parse(text.decode(message.data)) }

/** `null` where there is none, or none any more. Rejects when the log does not answer. */
export const lastCommit = async (nats: NatsConnection, kind: string, id: string): Promise<Found | null> =>
  foundIn(await lastMessage(nats, streams.events, subjects.event(kind, id), TIMEOUT_MS))

/** The oldest that the log still has; else as `lastCommit`. */
export const firstCommit = async (nats: NatsConnection, kind: string, id: string): Promise<Found | null> =>
  foundIn(await leaderMessage(nats, streams.events, { seq: 1, next_by_subj: subjects.event(kind, id) }, TIMEOUT_MS))
