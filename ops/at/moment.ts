/**
 * The state of the cluster at one or two moments: the statuses of actors, and commands in flight. It is read from the
 * log and, for commands in flight, from the present progress of reactions.
 *
 * Invariants
 *  - A moment is a sequence of the log. All commits up to it belong to the moment.
 *  - The log is read once, forward, whatever its length. Snapshots are of no use, because they are of the present.
 *  - Records that the log forgets (letters and deliveries after their time, erased ones) are missing at an earlier
 *    moment too.
 */
import { Effect } from "effect"
import { REACTIONS } from "../../actors/process/reactions.ts"
import { asideOf } from "../../actors/reactions/aside.ts"
import { readMark } from "../../actors/reactions/marks.ts"
import { streams } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"
import type { LogProgress } from "../cli/progress.ts"
import type { Point } from "../replay/fold.ts"
import { entryAt, placeOf } from "../replay/place.ts"
import { type Flight, Flying, type SetStates, LOOK_AHEAD } from "./flight.ts"
import { readLog } from "./read-log.ts"
import { StandingActors, type Standings } from "./standing.ts"

/** The number of messages between two reports of progress. */
const TOLD_EVERY = 4000

export interface Moment extends Standings {
  /** The last sequence that belongs to the moment; 0 before the first commit. */
  readonly seq: number
  /** The time of that commit in Unix ms; `null` if `seq` is 0, or if the commit no longer exists. */
  readonly last_commit_at: number | null
  readonly in_flight: Flight
}

/**
 * Reads how far each set of reactions has come, before the end of the log is read. So everything that the sets have
 * done lies before that end.
 */
const knownOf = async ({ nats }: Service): Promise<SetStates> => {
  const marks = new Map<string, number>()
  const aside: Array<SetStates["aside"][number]> = []
  for (const { name: set } of REACTIONS) {
    marks.set(set, (await readMark(nats, set)).seq)
    for (const why of ["parked", "fault"] as const)
      for (const one of await Effect.runPromise(asideOf(nats, set, why))) aside.push({ set, why, one })
  }
  return { marks, aside }
}

const commitTime = async (service: Service, seq: number): Promise<number | null> =>
  (seq === 0 ? null : await entryAt(service, seq))?.commit.at ?? null

export interface Looking {
  readonly progress: (done: LogProgress) => void
  readonly signal: AbortSignal
}

/**
 * Returns the moments in the order of the log, whatever the order of the points. Throws `TooMany`, and `UnknownEvent`
 * for an event of a newer release.
 */
export const momentsAt = async (
  service: Service,
  points: ReadonlyArray<Point>,
  { progress, signal }: Looking
): Promise<ReadonlyArray<Moment>> => {
  const known = await knownOf(service)
  const { state } = await service.manager.streams.info(streams.events)
  const { last_seq: last } = state
  const places = (await Promise.all(points.map((point) => placeOf(service, point, state)))).toSorted((a, b) => a - b)
  const end = places.at(-1) ?? 0
  const target = Math.min(end + LOOK_AHEAD, last)
  const standing = new StandingActors()
  const looked = places.map((seq) => ({ seq, flying: new Flying(seq, known) }))
  const standings: Array<Standings> = []
  /** Adds the states of the moments before this sequence. */
  const passTo = (seq: number): void => {
    while (standings.length < places.length && (places[standings.length] ?? 0) < seq) standings.push(standing.standings)
  }
  let messages = 0
  const reading = readLog(service, target, (stored) => {
    passTo(stored.seq)
    if (stored.seq <= end) standing.read(stored)
    for (const { flying } of looked) flying.read(stored)
    if (++messages % TOLD_EVERY === 0) progress({ messages, seq: stored.seq, target })
  })
  await Effect.runPromise(reading, { signal })
  progress({ messages, seq: target, target })
  passTo(Number.POSITIVE_INFINITY)
  return Promise.all(
    looked.map(async ({ seq, flying }, index) => ({
      seq,
      last_commit_at: await commitTime(service, seq),
      ...(standings[index] ?? standing.standings),
      in_flight: flying.flight(last)
    }))
  )
}
