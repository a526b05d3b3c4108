/**
 * Reads a stream in pages, at the reader's pace. While the reader works on one page, the next one is ready and the one
 * after it is being fetched. This is for reading a whole stream; follow.ts waits for new messages.
 */
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { Effect, Option, Schedule, Stream } from "effect"
import type { Archive } from "./archive/archive.ts"
import { isGuarding } from "./archive/mark.ts"
import { attempt } from "./attempt.ts"
import { directGet } from "./direct-get.ts"
import { leaderMessage } from "./last-message.ts"

export interface Stored {
  readonly seq: number
  readonly subject: string
  readonly data: Uint8Array
}

/** Tries of one page, enough for an outage of the bus. */
const TRIES = 60
const RETRY_MS = 500
const TIMEOUT_MS = 3000
/** The pause before a replica that is behind is asked again. */
const BEHIND_PAUSE_MS = 50
/** The number of pages that are ready besides the current one. */
const AHEAD = 1

const stored = (message: Msg): Stored => ({
  seq: Number(message.headers?.get("Nats-Sequence")),
  subject: message.headers?.get("Nats-Subject") ?? "",
  data: message.data
})

const pageOf = (
  nats: NatsConnection,
  stream: string,
  after: number,
  size: number,
  pattern: string
): Effect.Effect<ReadonlyArray<Stored>, unknown> =>
  attempt(async () => {
    const page: Array<Stored> = []
    await directGet(nats, stream, { seq: after + 1, next_by_subj: pattern, batch: size }, (message) =>
      page.push(stored(message))
    )
    return page
  }).pipe(Effect.retry({ schedule: Schedule.spaced(RETRY_MS), times: TRIES - 1, while: () => !nats.isClosed() }))

const EVERYTHING = ">"

/** Makes a test for the subjects of a pattern: with `*`, which stands for one token, and a closing `>`. */
const matching = (pattern: string): ((subject: string) => boolean) => {
  if (pattern === EVERYTHING) return () => true
  const wanted = pattern.split(".")
  const isOpen = wanted.at(-1) === EVERYTHING
  // Most patterns name one kind of actor, so comparing the beginning of the subject is enough.
  const fixed = wanted.slice(
    0,
    wanted.findIndex((token) => token === "*" || token === EVERYTHING)
  )
  const prefix = fixed.length === wanted.length - 1 && isOpen ? `${fixed.join(".")}.` : null
  if (prefix !== null) return (subject) => subject.length > prefix.length && subject.startsWith(prefix)
  return (subject) => {
    const tokens = subject.split(".")
    const fits = isOpen ? tokens.length >= wanted.length : tokens.length === wanted.length
    return fits && wanted.every((token, index) => token === "*" || token === EVERYTHING || token === tokens[index])
  }
}

/** The messages of a range that match the pattern, and the range's end. */
export interface Page {
  readonly page: ReadonlyArray<Stored>
  readonly reached: number
}

/** `null` at the archive's end. */
const archivedPage = (
  archive: Archive,
  after: number,
  size: number,
  isWanted: (subject: string) => boolean
): Effect.Effect<Page | null, unknown> =>
  Effect.map(
    attempt(() => archive.page(after, size, isWanted)),
    (found) => found && { page: found.commits, reached: found.reached }
  )

const through = (after: number, next: (at: number) => Effect.Effect<Page | null, unknown>) =>
  Stream.paginate(after, (at) =>
    Effect.map(next(at), (found): [ReadonlyArray<Page>, Option.Option<number>] =>
      found === null ? [[], Option.none()] : [[found], Option.some(found.reached)]
    )
  ).pipe(Stream.buffer({ capacity: AHEAD }))

export const archivedPages = (
  archive: Archive,
  after: number,
  size: number,
  pattern = EVERYTHING
): Stream.Stream<Page, unknown> => {
  const isWanted = matching(pattern)
  return through(after, (at) => archivedPage(archive, at, size, isWanted))
}

/**
 * The messages after `after` whose subjects match these patterns, up to the stream's end at the time of the last page.
 * No page is empty. `archive`: the archive of this stream, from which archived messages are read.
 */
export const pagesOf = (
  nats: NatsConnection,
  stream: string,
  after: number,
  size: number,
  patterns: string | ReadonlyArray<string> = EVERYTHING,
  archive?: Archive
): Stream.Stream<ReadonlyArray<Stored>, unknown> =>
  stretchesOf(nats, stream, after, size, patterns, archive).pipe(
    Stream.map(({ page }) => page),
    Stream.filter((page) => page.length > 0)
  )

/**
 * Like `pagesOf`, with the sequence up to which each page was read. It may lie after the page's last message. Pages may
 * be empty.
 */
export const stretchesOf = (
  nats: NatsConnection,
  stream: string,
  after: number,
  size: number,
  patterns: string | ReadonlyArray<string>,
  archive?: Archive
): Stream.Stream<Page, unknown> => {
  const [first = EVERYTHING, ...others] = typeof patterns === "string" ? [patterns] : patterns
  // The server accepts only one pattern.
  const pattern = others.length === 0 ? first : EVERYTHING
  const each = [first, ...others].map(matching)
  const isWanted = (subject: string): boolean => each.some((isOf) => isOf(subject))
  const next = (at: number): Effect.Effect<Page | null, unknown> =>
    Effect.gen(function* () {
      if (archive !== undefined && at < archive.through) return yield* archivedPage(archive, at, size, isWanted)
      const page = yield* pageOf(nats, stream, at, size, pattern)
      if (archive !== undefined) {
        yield* attempt(() => archive.refresh())
        if (at < archive.through) return yield* archivedPage(archive, at, size, isWanted)
      }
      const last = page.at(-1)
      if (last !== undefined)
        return { page: page.filter(({ subject }) => isWanted(subject) && !isGuarding(subject)), reached: last.seq }
      return archive === undefined ? null : yield* atEnd(archive, at)
    })
  /**
   * Reads on in the archive: a replica that is behind may end before commits that are archived and dropped meanwhile.
   */
  const atEnd = (known: Archive, at: number): Effect.Effect<Page | null, unknown> =>
    Effect.gen(function* () {
      const more = yield* nextSeq(nats, stream, at, pattern)
      yield* attempt(() => known.refresh())
      if (at < known.through) return yield* archivedPage(known, at, size, isWanted)
      if (more === null) return null
      yield* Effect.sleep(BEHIND_PAUSE_MS)
      return { page: [], reached: at }
    })
  return through(after, next)
}

/** The first sequence after `after` that matches the pattern, from the stream's leader; `null` if there is none. */
export const nextSeq = (
  nats: NatsConnection,
  stream: string,
  after: number,
  pattern: string
): Effect.Effect<number | null, unknown> =>
  Effect.map(
    attempt(() => leaderMessage(nats, stream, { seq: after + 1, next_by_subj: pattern }, TIMEOUT_MS)),
    (message) => message?.seq ?? null
  )
