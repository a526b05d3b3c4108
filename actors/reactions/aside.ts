/**
 * The commands that a set of reactions could not carry out in order, and the commits that it could not read. Each entry
 * has its commit's sequence in the log, and one of two reasons:
 *
 *  - `parked`: the actor could not be reached, or an earlier command to it is parked. The command is sent again later
 *    (parking.ts).
 *  - `fault`: the actor failed, or the commit could not be read. An operator decides (`hub reactions`).
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import { streams, subjects } from "../../schemas/subjects.ts"
import { attempt } from "../log/attempt.ts"
import { leaderMessage } from "../log/last-message.ts"
import { requestStream } from "../log/requests.ts"
import { storedAs } from "./marks.ts"

const TIMEOUT_MS = 3000
/** Matches any one token in a pattern of subjects: every set, reason or entry. */
const ANY = "*"

export type Why = "parked" | "fault"

/** A command that follows from a commit, or a commit that cannot be read. */
export interface Aside {
  readonly seq: number
  /** The kind of the commit's actor. */
  readonly kind: string
  readonly id: string
  readonly error: string
  /** Absent if the commit cannot be read. */
  readonly command?: {
    readonly op: string
    readonly kind: string
    readonly actor: string
    readonly which: string
  }
}

const REDONE = "redo-"

/** The command's id when an operator repeats it. */
export const redoneId = (id: string): string => `${REDONE}${id}`

/** The id of the reaction's command that this one is or repeats. */
export const reactionId = (id: string): string => (id.startsWith(REDONE) ? id.slice(REDONE.length) : id)

const text = new TextDecoder()

/** The entry's name as a token of a subject, unique among the entries of a set with the same reason. */
const tokenOf = ({ seq, command }: Aside): string =>
  command === undefined ? String(seq) : `${seq}-${command.kind}-${command.actor}-${command.which.replaceAll(".", "_")}`

const subjectOf = (set: string, why: Why, aside: Aside): string => subjects.aside(set, why, tokenOf(aside))

/** Stores the entry. If it is stored already, it is replaced. Rejects if the stream does not accept it. */
export const putAside = async (nats: NatsConnection, set: string, why: Why, aside: Aside): Promise<void> => {
  const reply = await requestStream(nats, subjectOf(set, why, aside), JSON.stringify(aside), { timeout: TIMEOUT_MS })
  storedAs(streams.aside, reply.json())
}

/** Removes the entry. Rejects when the stream does not answer. Does nothing if there is no such entry. */
export const takeBack = async (nats: NatsConnection, set: string, why: Why, aside: Aside): Promise<void> => {
  const wanted = JSON.stringify({ filter: subjectOf(set, why, aside) })
  const reply = await requestStream(nats, `$JS.API.STREAM.PURGE.${streams.aside}`, wanted, { timeout: TIMEOUT_MS })
  const { error } = reply.json<{ readonly error?: { readonly description?: string } }>()
  if (error !== undefined) throw new Error(`${streams.aside} gave nothing back: ${error.description ?? "no reason"}`)
}

/** Counts the entries of one set or of all. Rejects when the bus does not answer. */
export const asideCount = async (manager: JetStreamManager, set: string = ANY, why: Why | typeof ANY = ANY) => {
  const filter = subjects.aside(set, why, ANY)
  const { state } = await manager.streams.info(streams.aside, { subjects_filter: filter })
  return Object.keys(state.subjects ?? {}).length
}

/** All entries of a set in the order of the log. They are read from the stream's leader, so the newest are included. */
export const asideOf = (nats: NatsConnection, set: string, why: Why): Effect.Effect<ReadonlyArray<Aside>, unknown> =>
  attempt(async () => {
    const all: Array<Aside> = []
    for (let seq = 1; ; seq++) {
      const wanted = { seq, next_by_subj: subjects.aside(set, why, "*") }
      const found = await leaderMessage(nats, streams.aside, wanted, TIMEOUT_MS)
      if (found === null) return all.toSorted((a, b) => a.seq - b.seq)
      all.push(JSON.parse(text.decode(found.data)))
      seq = found.seq
    }
  })
