/** Processes that write to one log and know of its archive only what each has asked for itself. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect } from "effect"
import type { Kysely } from "kysely"
import { Archive } from "../../../actors/log/archive/archive.ts"
import { archiveOnce, type ArchiverParts } from "../../../actors/log/archive/archiver.ts"
import { IndexTable, type IndexWriter } from "../../../actors/log/archive/index-table.ts"
import { folderOf } from "../../../actors/log/archive/objects.ts"
import type { AppendResult, Commit, LogEntry } from "../../../actors/log/commit.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import type { Database } from "../../../actors/tables/database.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"

export interface Place {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly db: Kysely<Database>
  /** Of the archive's objects. */
  readonly folder: string
  readonly replicated?: boolean
  readonly clock?: Clock.Clock
  /** Answers in the place of the index. */
  readonly find?: (index: IndexTable, ...asked: Parameters<IndexTable["find"]>) => ReturnType<IndexTable["find"]>
}

export const processOn = ({ nats, manager, db, folder, replicated = false, clock = machineClock, find }: Place) => {
  const plain = new IndexTable(db)
  const index: IndexTable =
    find === undefined
      ? plain
      : withOther(plain, "find", (...asked: Parameters<typeof plain.find>) => find(plain, ...asked))
  const objects = folderOf(folder)
  const archive = new Archive({ clock, nats, objects, index })
  const log = new JetStreamLog(clock, nats, { batchMax: 1000, queueMax: 20_000, replicated, archive })
  const parts: ArchiverParts = {
    nats,
    manager,
    log,
    archive,
    index,
    objects,
    indexed: () => Promise.resolve(),
    kinds: ["test", "other", "log"],
    policy: { hotSeconds: 0, partialSeconds: 0, segmentChars: 2000 },
    done: () => Promise.resolve(Number.MAX_SAFE_INTEGER)
  }
  const runWith = (changed: ArchiverParts) =>
    Effect.runPromise(Effect.provideService(archiveOnce(changed), Clock.Clock, clock))
  return { archive, index, log, parts, runWith, run: () => runWith(parts) }
}

/** An index whose holder writes as `change` has it. */
export const withWriter = (index: IndexTable, change: (writer: IndexWriter) => IndexWriter): IndexTable =>
  withOther(index, "alone", (work: (writer: IndexWriter) => Promise<unknown>) =>
    index.alone((writer) => work(change(writer)))
  )

export const emptied = async (index: IndexTable): Promise<void> => {
  const done = await index.alone((writer) => writer.empty().then(() => true))
  if (done === null) throw new Error("another holds the index")
}

export const commitOf = (id: string): Commit => ({
  v: 1,
  id,
  op: "test.write",
  at: 1,
  events: [{ type: "test.written", v: 1 }]
})

export const seqOf = (result: AppendResult): number => {
  if (!result.ok) throw new Error(result.reason)
  return result.seqs[0] ?? 0
}

/** Commits with these ids, one behind the other. Resolves to the last one's sequence. */
export const written = async (
  log: JetStreamLog,
  subject: string,
  ids: ReadonlyArray<string>,
  from = 0
): Promise<number> => {
  let stands = from
  for (const id of ids) stands = seqOf(await log.append([{ subject, expected: stands, commit: commitOf(id) }]))
  return stands
}

export const historyOf = async (
  log: JetStreamLog,
  subject: string,
  size = 2,
  after = 0
): Promise<ReadonlyArray<LogEntry>> => {
  const entries: Array<LogEntry> = []
  for (;;) {
    const page = await log.read(subject, entries.at(-1)?.seq ?? after, size)
    entries.push(...page.entries)
    if (!page.more) return entries
  }
}

export const idsIn = (entries: ReadonlyArray<LogEntry>): ReadonlyArray<string> => entries.map(({ commit }) => commit.id)

/** With `key` of it replaced. */
export const withOther = <Of extends object>(of: Of, key: keyof Of, other: unknown): Of =>
  new Proxy(of, {
    get: (target, asked) => {
      const value: unknown = asked === key ? other : Reflect.get(target, asked)
      return typeof value === "function" && asked !== key ? value.bind(target) : value
    }
  })
