/**
 * Finds everything that followed from one request, from the log alone.
 *
 * Invariants
 *  - A request's commits contain its id: in the command's id, followed by the number of the ask, or as `trace` if the
 *    command's id comes from an Idempotency-Key. The id of a reaction's command contains the place of the commit that
 *    it follows from (actors/engine/command-ids.ts). So causes are known exactly.
 *  - Commands that follow from a commit are computed by the code of each set of reactions, as in the service.
 *  - Work that a request began (a delivery, a letter, a mail to be sent) belongs to its story completely, with all
 *    commits of such an actor.
 *  - A request's own commits lie within `OWN_WITHIN_MS`. Only these are searched in the whole log. Their consequences
 *    are read on the subjects of the actors concerned, however much later they came.
 *  - The commits are masked as in replay.
 */
import { Effect, Stream } from "effect"
import { operatorOf, reactionPlaceOf } from "../../actors/engine/command-ids.ts"
import type { Commit, EventShape } from "../../actors/log/commit.ts"
import { pagesOf, type Stored } from "../../actors/log/stream-pages.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import { commitOf, messageOf } from "../../actors/projections/projection.ts"
import { REACTIONS } from "../../actors/process/reactions.ts"
import { asideOf } from "../../actors/reactions/aside.ts"
import { readMark } from "../../actors/reactions/marks.ts"
import { commandsOf } from "../../actors/reactions/reaction.ts"
import { timeOfRequest } from "../../schemas/request-id.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"
import { entryAt } from "../replay/place.ts"
import { kindOf } from "../replay/fold.ts"
import { Masker } from "../replay/masks.ts"

const PAGE = 4000
/** The most commits of one story. Further ones are only counted. */
const COMMITS_MAX = 1000
/** The most steps back from a commit to the request that caused it. */
const CAUSES_MAX = 1000
/** The most following commands that are searched for. Beyond this number the story is incomplete. */
const EXPECTED_MAX = 100_000
const TRACES_AT_ONCE = 16
/** Longer than the service works on a request. */
const OWN_WITHIN_MS = 120_000

/** Kinds whose actors belong to one request. */
const WORK: ReadonlySet<string> = new Set(["delivery", "letter", "mail_notice", "mail_sending"])

export interface StoryCommit {
  readonly seq: number
  /** Unix ms. */
  readonly at: number
  readonly kind: string
  readonly actor: string
  readonly op: string
  readonly command: string
  readonly by: string | null
  readonly events: ReadonlyArray<EventShape>
  readonly trace_id: string | null
  /** The sequence of the commit that it follows from; `null` for the request's own commits. */
  readonly cause: number | null
  /** The set of reactions that sent the command; `null` for other commands. */
  readonly set: string | null
}

/** A command of a reaction that led to no commit. */
export interface Quiet {
  readonly cause: number
  readonly set: string
  readonly op: string
  readonly kind: string
  readonly actor: string
  /**
   * `waits`: not asked yet. `parked`: its actor could not be reached. `fault`: passed over. `unchanged`: nothing to
   * change. `ended`: nothing to change, or the log no longer has its actor.
   */
  readonly state: "waits" | "parked" | "fault" | "unchanged" | "ended"
}

interface ReaderOf {
  readonly name: string
  /** The last sequence of the story that the read model must have applied. */
  readonly wants: number
  readonly watermark: number | null
  readonly has: boolean
}

export interface Story {
  /** The request's id, or the command's if there is none. */
  readonly request: string
  readonly commits: ReadonlyArray<StoryCommit>
  /** The number of commits beyond `COMMITS_MAX`. */
  readonly left_out: number
  /** The last sequence that was read. It is the log's last, unless reading was cut short. */
  readonly read_to: number
  readonly quiet: ReadonlyArray<Quiet>
  /** `null` if Postgres does not answer. */
  readonly read_models: ReadonlyArray<ReaderOf> | null
}

/** The request's id from a command's id. An edge adds `.<n>`; other ids are unchanged. */
const requestOf = (command: string): string => /^(.+)\.\d+$/.exec(command)?.[1] ?? command

interface Place {
  readonly seq: number
  readonly commit: Commit
}

const commitAt = async (service: Service, seq: number): Promise<Place | null> => {
  const found = await entryAt(service, seq)
  return found === null ? null : { seq, commit: found.commit }
}

/** Follows reactions back to the request. `null` if there is no commit at the sequence. */
export const rootOf = async (service: Service, seq: number): Promise<{ request: string; seq: number } | null> => {
  let place = await commitAt(service, seq)
  for (let step = 0; place !== null && step < CAUSES_MAX; step++) {
    const cause = reactionPlaceOf(place.commit.id)
    const before: Place | null = cause === null ? null : await commitAt(service, cause.seq)
    if (before === null) return { request: place.commit.trace ?? requestOf(place.commit.id), seq: place.seq }
    place = before
  }
  return place === null ? null : { request: place.commit.id, seq: place.seq }
}

interface Expected {
  readonly cause: number
  readonly set: string
  readonly op: string
  readonly kind: string
  readonly actor: string
}

/** `after`: only messages after this sequence are read. */
interface Ahead {
  readonly subject: string
  readonly after: number
  readonly isMet: () => boolean
}

const kindAndId = (name: string): [kind: string, id: string] => {
  const [kind = "", id = ""] = name.split(" ")
  return [kind, id]
}

class Teller {
  readonly commits: Array<StoryCommit> = []
  leftOut = 0
  /** Sequences of commits of the story, also of those beyond `COMMITS_MAX`. */
  private readonly seen = new Set<number>()
  private readonly taken = new Set<string>()
  private readonly expected = new Map<string, Expected>()
  private readonly met = new Set<string>()
  /** For each kind and id, the first commit and the last. */
  private readonly work = new Map<string, { readonly first: number; readonly last: number }>()
  private readonly request: string
  private readonly needle: Buffer

  constructor(request: string) {
    this.request = request
    this.needle = Buffer.from(request)
  }

  read(subject: string, seq: number, data: Uint8Array): void {
    if (data.length === 0 || this.seen.has(seq)) return
    // Commits before the request's first one cannot follow from it, so most of a log need not be parsed.
    if (this.commits.length === 0 && !Buffer.from(data.buffer, data.byteOffset, data.length).includes(this.needle))
      return
    const message = messageOf(subject, seq, data)
    const { kind, id } = message
    const commit = commitOf(message)
    const told = this.expected.get(commit.id)
    const isOwn = commit.id === this.request || requestOf(commit.id) === this.request || commit.trace === this.request
    const cause = told?.cause ?? this.work.get(`${kind} ${id}`)?.last
    if (!isOwn && cause === undefined) return
    // One command may commit to several actors.
    this.met.add(commit.id)
    this.seen.add(seq)
    if (WORK.has(kind))
      this.work.set(`${kind} ${id}`, { first: this.work.get(`${kind} ${id}`)?.first ?? seq, last: seq })
    this.follow(kind, id, seq, commit)
    if (this.commits.length >= COMMITS_MAX) {
      this.leftOut++
      return
    }
    const { at, op, events } = commit
    const operator = operatorOf(commit.id)
    const by = operator === null ? (commit.by ?? null) : `operator ${operator}`
    this.commits.push({
      seq,
      at,
      kind,
      actor: id,
      op,
      command: commit.id,
      by,
      events,
      trace_id: null,
      cause: isOwn ? null : (cause ?? null),
      set: told?.set ?? null
    })
  }

  /** Subjects that may have more of the story, each once: of a command that follows, or of an actor that is work. */
  takeAhead(): ReadonlyArray<Ahead> {
    const found: Array<Ahead> = []
    for (const [id, { cause, kind, actor }] of this.expected)
      if (!this.met.has(id) && !this.taken.has(id))
        found.push({ subject: subjects.event(kind, actor), after: cause, isMet: () => this.met.has(id) })
    for (const [name, { first }] of this.work)
      if (!this.taken.has(name))
        found.push({ subject: subjects.event(...kindAndId(name)), after: first, isMet: () => false })
    for (const id of [...this.expected.keys(), ...this.work.keys()]) this.taken.add(id)
    return found
  }

  /** Commands of reactions that led to no commit. */
  get unmet(): ReadonlyArray<Expected> {
    return [...this.expected].flatMap(([id, told]) => (this.met.has(id) ? [] : [told]))
  }

  private follow(kind: string, id: string, seq: number, commit: Commit): void {
    if (this.expected.size >= EXPECTED_MAX) return
    for (const { name, kinds, follows } of REACTIONS) {
      if (!kinds.includes(kind)) continue
      for (const { id: command, told } of commandsOf(name, seq, follows(kind, commit, { id, seq, at: commit.at })))
        this.expected.set(command, { cause: seq, set: name, op: told.op, kind: told.kind, actor: told.actor })
    }
  }
}

const quietOf = async (
  { nats }: Service,
  left: ReadonlyArray<Expected>,
  marks: ReadonlyMap<string, number>
): Promise<ReadonlyArray<Quiet>> => {
  const sets = [...new Set(left.map(({ set }) => set))]
  const aside = new Map<string, Quiet["state"]>()
  for (const set of sets)
    for (const state of ["parked", "fault"] as const)
      for (const one of await Effect.runPromise(asideOf(nats, set, state)))
        aside.set(`${set} ${one.seq} ${one.command?.actor ?? ""} ${one.command?.op ?? ""}`, state)
  return left.map((one) => ({
    ...one,
    state:
      aside.get(`${one.set} ${one.cause} ${one.actor} ${one.op}`) ??
      aside.get(`${one.set} ${one.cause}  `) ??
      ((marks.get(one.set) ?? 0) < one.cause ? "waits" : kindOf(one.kind)?.fold.ends === true ? "ended" : "unchanged")
  }))
}

const readersOf = async ({ db }: Service, commits: ReadonlyArray<StoryCommit>): Promise<ReadonlyArray<ReaderOf>> => {
  const rows = await db.selectFrom("projections").select(["name", "seq"]).execute()
  const marks = new Map(rows.map(({ name, seq }) => [name, Number(seq)]))
  return PROJECTIONS.filter(({ stream }) => stream === streams.events).flatMap(({ name, subjects: patterns }) => {
    const wants = commits.findLast(({ kind }) => patterns.includes(subjects.eventsOf(kind)))?.seq
    if (wants === undefined) return []
    const watermark = marks.get(name) ?? null
    return [{ name, wants, watermark, has: (watermark ?? 0) >= wants }]
  })
}

/** Adds the id of the commit's trace. A trace that cannot be read is left out. */
const withTrace = (service: Service, one: StoryCommit): Effect.Effect<StoryCommit> =>
  Effect.promise(async () => {
    const found = await entryAt(service, one.seq).catch(() => null)
    return { ...one, trace_id: found?.trace_id ?? null }
  })

/** The time of a page's newest commit; `null` if the log has none of them any more. */
const lastTimeIn = (page: ReadonlyArray<Stored>): number | null => {
  const found = page.findLast(({ data }) => data.length > 0)
  return found === undefined ? null : commitOf(messageOf(found.subject, found.seq, found.data)).at
}

const inOrder = (commits: ReadonlyArray<StoryCommit>): ReadonlyArray<StoryCommit> =>
  commits.toSorted((one, other) => one.seq - other.seq)

export interface Search {
  readonly request: string
  /** The sequence at which reading begins. */
  readonly from: number
  /** The sequence at which a first reading begins, near the request; `null` or absent if it is not known. */
  readonly near?: number | null
  readonly progress: (done: { messages: number; seq: number; target: number }) => void
  readonly signal: AbortSignal
  /** Called after each page of the log. If it returns true, reading ends, and the story is incomplete. */
  readonly enough?: () => boolean
}

/** Reads from `near` on. If that finds no commit, it reads from `from` on. */
export const storyOf = async (service: Service, search: Search): Promise<Story> => {
  const { near = null } = search
  if (near !== null) {
    const story = await storyFrom(service, { ...search, from: near })
    if (story.commits.length > 0) return story
  }
  return storyFrom(service, search)
}

/**
 * The story has no commits if the log has none of the request. Throws `UnknownEvent` for an event of a newer release.
 */
const storyFrom = async (
  service: Service,
  { request, from, progress, signal, enough = () => false }: Search
): Promise<Story> => {
  const marks = new Map<string, number>()
  // The progress of the sets is read before the end of the log, so everything that they have done lies before that end.
  for (const { name } of REACTIONS) marks.set(name, (await readMark(service.nats, name)).seq)
  const last = (await service.manager.streams.info(streams.events)).state.last_seq
  const teller = new Teller(request)
  let [messages, readTo] = [0, Math.min(from - 1, last)]
  /** Resolves when no more is wanted. `wanted` is asked after each page. */
  const readFrom = async (after: number, pattern: string, wanted: (page: ReadonlyArray<Stored>) => boolean) => {
    const reading = Stream.runForEachWhile(
      pagesOf(service.nats, streams.events, after, PAGE, pattern, service.archive),
      (page) =>
        Effect.sync(() => {
          for (const { subject, seq, data } of page) if (seq <= last) teller.read(subject, seq, data)
          messages += page.length
          return wanted(page) && (page.at(-1)?.seq ?? last) < last && !enough()
        })
    )
    await Effect.runPromise(reading, { signal })
  }
  const began = timeOfRequest(request)
  const isPast = (page: ReadonlyArray<Stored>): boolean => {
    const own = teller.commits[0]?.at ?? began
    const at = lastTimeIn(page)
    return own !== null && at !== null && at > own + OWN_WITHIN_MS
  }
  let isPassed = false
  if (from <= last)
    await readFrom(from - 1, subjects.events, (page) => {
      readTo = Math.min(page.at(-1)?.seq ?? last, last)
      progress({ messages, seq: readTo, target: last })
      isPassed = isPast(page)
      return !isPassed
    })
  if (isPassed) {
    for (let ahead = teller.takeAhead(); ahead.length > 0 && !enough(); ahead = teller.takeAhead())
      for (const [subject, all] of Map.groupBy(ahead, (one) => one.subject)) {
        const after = Math.min(...all.map((one) => one.after))
        await readFrom(Math.max(after, readTo), subject, () => all.some(({ isMet }) => !isMet()))
      }
    if (!enough()) readTo = last
  }
  const masker = new Masker()
  const commits = await Effect.runPromise(
    Effect.forEach(inOrder(teller.commits), (one) => withTrace(service, masker.mask(one)), {
      concurrency: TRACES_AT_ONCE
    }),
    { signal }
  )
  return {
    request,
    commits,
    left_out: teller.leftOut,
    read_to: readTo,
    quiet: await quietOf(service, teller.unmet, marks),
    read_models: await readersOf(service, commits).catch(() => null)
  }
}
