/** An actor in a log that is written directly, and the interface to write its commits. */
import type { AgentEvent } from "../../../actors/agent/state.ts"
import type { VoteEvent } from "../../../actors/content/ballot.ts"
import type { TextEvent } from "../../../actors/content/text.ts"
import type { DeliveryEvent } from "../../../actors/delivery/state.ts"
import type { History } from "../../../actors/engine/history.ts"
import type { HandleEvent } from "../../../actors/handle/actor.ts"
import type { KeyEvent } from "../../../actors/key/actor.ts"
import type { Commit, LogEntry } from "../../../actors/log/commit.ts"
import type { MessageEvent } from "../../../actors/message/state.ts"
import type { NumberEvent } from "../../../actors/number/actor.ts"
import type { PostEvent } from "../../../actors/post/state.ts"
import type { ReplyEvent } from "../../../actors/reply/state.ts"
import type { ThreadEvent } from "../../../actors/thread/state.ts"
import type { WatchEvent } from "../../../actors/watch/state.ts"

/** One actor with its position in the log, so that no lookup is needed. */
export class Place {
  readonly kind: string
  readonly id: string
  /** The sequence of its newest commit, 0 if there is none. */
  seq = 0
  commits = 0
  /** Its state, for kinds with long histories. */
  history: History | null = null

  constructor(kind: string, id: string) {
    this.kind = kind
    this.id = id
  }
}

export type YearEvent =
  | AgentEvent
  | DeliveryEvent
  | HandleEvent
  | KeyEvent
  | MessageEvent
  | NumberEvent
  | PostEvent
  | ReplyEvent
  | TextEvent
  | ThreadEvent
  | VoteEvent
  | WatchEvent

export type YearCommit = Omit<Commit, "v" | "at" | "events"> & { readonly events: ReadonlyArray<YearEvent> }

export interface LogWriter {
  /** The time of the next commit in Unix ms. */
  readonly now: number
  /** The last sequence so far. */
  readonly last: number
  /** Writes one commit, and returns it as a log entry. It expires after `keepSeconds`. */
  readonly put: (place: Place, commit: YearCommit, keepSeconds?: number) => LogEntry
  /** Resolves when more commits can be written. */
  readonly drained: () => Promise<void>
}
