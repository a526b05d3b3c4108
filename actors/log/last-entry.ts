/** The newest commit of a subject, read from the leader of the log, because a replica may be behind. */
import type { NatsConnection } from "@nats-io/transport-node"
import { streams } from "../../schemas/subjects.ts"
import type { Commit, LogEntry } from "./commit.ts"
import { STREAM_NOT_FOUND } from "./jetstream-codes.ts"
import { requestStream } from "./requests.ts"

const NOT_FOUND = 404

/**
 * The header with the sequence that an append expects. The server keeps it with the message, where it names the
 * previous commit.
 */
export const EXPECTED = "Nats-Expected-Last-Subject-Sequence"
/** The header that names the previous commit if that is only in the archive, so that the server cannot expect it. */
export const PREVIOUS = "Hub-Previous"
const EXPECTED_LINE = /^Nats-Expected-Last-Subject-Sequence: *(\d{1,16})\r?$/m
const PREVIOUS_LINE = /^Hub-Previous: *(\d{1,16})\r?$/m

/** The sequence of the previous commit, from a message's headers; `null` if they do not say. */
export const previousIn = (header: (name: string) => string | undefined): number | null => {
  const told = header(PREVIOUS) || header(EXPECTED) || ""
  return told === "" ? null : Number(told)
}

interface Answer {
  /** Headers and content in base64. */
  readonly message?: { readonly seq: number; readonly hdrs?: string; readonly data?: string }
  readonly error?: { readonly code: number; readonly err_code?: number; readonly description?: string }
}

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString()

/** `null` if the subject has no commit. Rejects when the log does not answer within `timeout` ms. */
export const lastEntry = async (nats: NatsConnection, subject: string, timeout: number): Promise<LogEntry | null> => {
  const wanted = JSON.stringify({ last_by_subj: subject })
  const reply = await requestStream(nats, `$JS.API.STREAM.MSG.GET.${streams.events}`, wanted, { timeout })
  const { message, error } = reply.json<Answer>()
  if (message === undefined) {
    if (error?.code === NOT_FOUND && error.err_code !== STREAM_NOT_FOUND) return null
    throw new Error(`the log was asked for a commit: ${error?.description ?? "no answer that makes sense"}`)
  }
  const { seq, hdrs = "", data = "" } = message
  const commit: Commit = JSON.parse(textOf(data))
  const all = textOf(hdrs)
  const previous = previousIn((name) => (name === PREVIOUS ? PREVIOUS_LINE : EXPECTED_LINE).exec(all)?.[1])
  return { seq, commit, ...(previous === null ? {} : { previous }) }
}
