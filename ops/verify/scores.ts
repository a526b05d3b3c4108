/**
 * Computes scores again from the log (contract 22). Each entry must continue the one before, and visible trust must be
 * the sum of its entries within its bounds. Each entry of a reputation must follow from a vote, an acceptance or a
 * hiding in the log, with the right amount.
 *
 * Invariant: an entry is compared with the commit that caused it, which is named by the id of the entry's command. So
 * the service may continue to write: a commit whose reactions are not done yet does not count as a fault. Nor does one
 * whose reactions are parked, or wait for an operator.
 */
import { Effect, Stream } from "effect"
import { reputationChanges } from "../../actors/agent/content/rating.ts"
import { boundedScore } from "../../actors/agent/score/entries.ts"
import { AgentEvent } from "../../actors/agent/state.ts"
import { hiddenContent } from "../../actors/hiding/reactions.ts"
import { eventsOf } from "../../actors/engine/events.ts"
import type { Commit } from "../../actors/log/commit.ts"
import { pagesOf } from "../../actors/log/stream-pages.ts"
import { ratedPosts } from "../../actors/post/reactions.ts"
import { commitOf, type Message, messageOf } from "../../actors/projections/projection.ts"
import { asideOf, reactionId } from "../../actors/reactions/aside.ts"
import { readMark } from "../../actors/reactions/marks.ts"
import { commandsOf, type Reactions } from "../../actors/reactions/reaction.ts"
import { ratedReplies } from "../../actors/reply/reactions.ts"
import { ratedThreads } from "../../actors/thread/reactions.ts"
import { streams } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"
import { NAMED_MAX } from "./snapshots.ts"

const RATING: ReadonlyArray<Reactions> = [ratedPosts, ratedReplies, ratedThreads, hiddenContent]
const PAGE = 4000
const EVERYTHING = ">"

export interface ScoreReport {
  readonly agents: number
  readonly entries: number
  readonly differing: number
  /** Descriptions of the first faults in the log, at most `NAMED_MAX`. */
  readonly named: ReadonlyArray<string>
}

interface Expected {
  readonly set: string
  readonly seq: number
  readonly agent: string
  readonly delta: number
}

interface ScoreState {
  entries: number
  trust: number
  reputation: number
  /** The sum of trust without its bounds. A sum below 0 must be made up before visible trust rises. */
  trustSum: number
}

const NEW: ScoreState = { entries: 0, trust: 0, reputation: 0, trustSum: 0 }

/** Reads the messages of the log in order. */
export class Recount {
  entries = 0
  differing = 0
  readonly named: Array<string> = []
  readonly standings = new Map<string, ScoreState>()
  /** Expected entries that follow from earlier commits. They are removed when the agent's own commit is read. */
  private readonly expected = new Map<string, Expected>()

  read(message: Message): void {
    if (message.data.length === 0) return
    const { seq, kind, id } = message
    const sets = RATING.filter(({ kinds }) => kinds.includes(kind))
    if (sets.length === 0 && kind !== "agent") return
    const commit = commitOf(message)
    for (const set of sets) this.expect(set, kind, commit, { id, seq })
    if (kind === "agent") this.agent(id, commit)
  }

  private expect(set: Reactions, kind: string, commit: Commit, { id, seq }: { id: string; seq: number }): void {
    const told = set.follows(kind, commit, { id, seq, at: commit.at })
    for (const { id: command, told: one } of commandsOf(set.name, seq, told)) {
      const delta = reputationChanges(one.op, one.input).reduce((sum, change) => sum + change.delta, 0)
      if (delta !== 0) this.expected.set(command, { set: set.name, seq, agent: one.actor, delta })
    }
  }

  private agent(id: string, commit: Commit): void {
    let given = 0
    for (const event of eventsOf(AgentEvent, commit)) {
      if (event.type !== "agent.score_changed") continue
      const before = this.standings.get(id) ?? NEW
      const { score, entry, delta, value, given: wanted = delta, sum = value } = event
      this.entries++
      if (entry !== before.entries + 1) this.found(`agent ${id}: entry ${entry} comes after entry ${before.entries}`)
      if (value !== before[score] + delta)
        this.found(`agent ${id}: entry ${entry} makes ${score} ${value}, its delta ${before[score] + delta}`)
      if (score === "trust" && (sum !== before.trustSum + wanted || value !== boundedScore(score, sum)))
        this.found(
          `agent ${id}: entry ${entry} shows trust ${value} with a sum of ${sum}, ` +
            `its entries come to ${before.trustSum + wanted}`
        )
      const trustSum = score === "trust" ? sum : before.trustSum
      this.standings.set(id, { ...before, [score]: value, trustSum, entries: entry })
      if (score === "reputation") given += delta
    }
    const caused = reactionId(commit.id)
    const expected = this.expected.get(caused)
    this.expected.delete(caused)
    const delta = expected?.delta ?? 0
    if (given !== delta)
      this.found(`agent ${id}: the command ${commit.id} changed its reputation by ${given}, the log says ${delta}`)
  }

  /** Reports expected entries that were not found. `aside`: commits whose reactions wait, as `<set> <sequence>`. */
  end(marks: ReadonlyMap<string, number>, aside: ReadonlySet<string>): void {
    for (const { set, seq, agent, delta } of this.expected.values()) {
      if (seq <= (marks.get(set) ?? 0) && !aside.has(waiting(set, seq)))
        this.found(`agent ${agent}: its reputation lacks ${delta}, which follows from sequence ${seq} of the log`)
    }
  }

  private found(fault: string): void {
    this.differing++
    if (this.named.length < NAMED_MAX) this.named.push(fault)
  }
}

const waiting = (set: string, seq: number): string => `${set} ${seq}`

export const verifyScores = async (
  { nats, manager, archive }: Pick<Service, "nats" | "manager" | "archive">,
  signal: AbortSignal
): Promise<ScoreReport> => {
  const marks = new Map<string, number>()
  const aside = new Set<string>()
  // The progress of the sets is read before the end of the log, so everything that they have done lies before that end.
  // A parked command is taken back once it is carried out.
  for (const { name } of RATING) {
    marks.set(name, (await readMark(nats, name)).seq)
    const all = await Effect.runPromise(Effect.all([asideOf(nats, name, "parked"), asideOf(nats, name, "fault")]))
    for (const { seq } of all.flat()) aside.add(waiting(name, seq))
  }
  const last = (await manager.streams.info(streams.events)).state.last_seq
  const recount = new Recount()
  const pages = Stream.runForEachWhile(pagesOf(nats, streams.events, 0, PAGE, EVERYTHING, archive), (page) =>
    Effect.sync(() => {
      const due = page.filter(({ seq }) => seq <= last)
      for (const { subject, seq, data } of due) recount.read(messageOf(subject, seq, data))
      return due.length === page.length && (page.at(-1)?.seq ?? last) < last
    })
  )
  if (last > 0) await Effect.runPromise(pages, { signal })
  recount.end(marks, aside)
  const { entries, differing, named, standings } = recount
  return { agents: standings.size, entries, differing, named }
}
