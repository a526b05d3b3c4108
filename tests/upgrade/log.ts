/**
 * The log of a fixture as lines of JSON, beside the backup: what has a time to live in the backup is gone when that is
 * over, and must be read by every later release all the same.
 */
import { Effect, Stream } from "effect"
import { pagesOf } from "../../actors/log/stream-pages.ts"
import type { Commit } from "../../actors/log/commit.ts"
import { streams } from "../../schemas/subjects.ts"
import type { TestService } from "../support/service.ts"

/** Beside the files of the backup, which are named by their streams. */
export const LOG_FILE = "log.jsonl"
export const TABLES_FILE = "tables.json"
const PAGE = 1000

export interface Entry {
  readonly seq: number
  readonly kind: string
  readonly id: string
  readonly commit: Commit
}

/** Everything that stands in the log now, behind a sequence. */
export const allEntries = async (
  { nats }: Pick<TestService["view"], "nats">,
  after = 0
): Promise<ReadonlyArray<Entry>> => {
  const pages = await Effect.runPromise(Stream.runCollect(pagesOf(nats, streams.events, after, PAGE)))
  return pages.flat().flatMap(({ seq, subject, data }) => {
    const [, , kind = "", id = ""] = subject.split(".")
    // A marker of the server's, in the place of what was erased.
    return data.length === 0 ? [] : [{ seq, kind, id, commit: JSON.parse(Buffer.from(data).toString()) as Commit }]
  })
}

export const logText = (entries: ReadonlyArray<Entry>): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")
export const entriesOf = (text: string): ReadonlyArray<Entry> =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Entry]))
