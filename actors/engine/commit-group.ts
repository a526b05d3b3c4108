/** Builds the commits of one decision, for its actor and its companions. Either all of them are written or none. */
import type { Refusal } from "../../schemas/errors.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { ActorDefinition, Companion, Decision, Timer } from "./definition.ts"
import type { Append, Commit, EventShape } from "../log/commit.ts"

/** The first commit is the actor's own. */
export type CommitGroup = readonly [Append, ...Array<Append>]

interface Commanded {
  readonly id: string
  readonly op: string
  readonly by: string | undefined
  readonly trace: string | undefined
  readonly why?: string | undefined
}

interface FoldedState {
  readonly subject: string
  /** The sequence of the last commit that the actor has folded. */
  readonly seq: number
  readonly state: unknown
  readonly definition: Pick<ActorDefinition, "keepSeconds">
}

export const groupOf = (
  command: Commanded,
  { subject, seq, state, definition }: FoldedState,
  at: number,
  decision: Decision,
  traceparent: string | undefined
): CommitGroup => {
  const reply = "refused" in decision ? { refused: decision.refused } : decision.reply
  const own: Append = {
    subject,
    expected: seq,
    commit: commitOf(command, at, decision.events ?? [], reply),
    traceparent,
    keepSeconds: definition.keepSeconds?.(state, at)
  }
  const companions = companionsOf(decision).map(({ kind, id, expected, events, keepSeconds, drawn }) => ({
    subject: subjects.event(kind, id),
    expected,
    drawn,
    commit: commitOf(command, at, events, undefined),
    traceparent,
    keepSeconds
  }))
  return [own, ...companions]
}

export const isRefused = (reply: unknown): reply is { readonly refused: Refusal } =>
  typeof reply === "object" && reply !== null && "refused" in reply

const commitOf = (
  { id, op, by, trace, why }: Commanded,
  at: number,
  events: ReadonlyArray<EventShape>,
  reply: unknown
): Commit => ({
  v: 1,
  id,
  op,
  at,
  ...(by === undefined ? {} : { by }),
  events,
  ...(reply === undefined ? {} : { reply }),
  ...(trace === undefined ? {} : { trace }),
  ...(why === undefined ? {} : { why })
})

export const companionsOf = (decision: Decision): ReadonlyArray<Companion> =>
  "refused" in decision ? [] : (decision.companions ?? [])

export const timersOf = (decision: Decision): ReadonlyArray<Timer> =>
  "refused" in decision ? [] : (decision.timers ?? [])

/** Bytes of a group of commits in the log, without the server's overhead. */
export const bytesOf = (group: ReadonlyArray<Append>): number =>
  group.reduce((sum, { commit }) => sum + Buffer.byteLength(JSON.stringify(commit)), 0)
