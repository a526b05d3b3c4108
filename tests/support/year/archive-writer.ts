/**
 * Writes an archive directly, with the product's own segments and index, for commits that were never in a server. A
 * commit that the log would have forgotten before archiving takes a sequence, but is left out.
 */
import type { Newest } from "../../../actors/log/archive/index-table.ts"
import type { OpenArchive } from "../../../actors/log/archive/open.ts"
import { type Archived, objectName, type SegmentName, SegmentWriter } from "../../../actors/log/archive/segment.ts"
import type { LogEntry } from "../../../actors/log/commit.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { subjects } from "../../../schemas/subjects.ts"
import type { LogWriter, Place, YearCommit } from "./place.ts"

const { archive_after_days: HOT_DAYS, archive_segment_chars: SEGMENT_CHARS } = LIMITS.service
const HOT_SECONDS = HOT_DAYS * 86_400
const WAITING_MAX = 2000

export interface Span {
  /** Unix ms. */
  readonly from: number
  readonly to: number
  /** The expected number of commits, over which their times are spread. */
  readonly expected: number
}

export class ArchiveWriter implements LogWriter {
  last = 0
  readonly counts = { stored: 0, bytes: 0, segments: 0 }
  /** The times at which commits expire: Unix ms, in order. */
  private readonly ends: Array<number> = []
  private readonly opened: OpenArchive
  private readonly span: Span
  private readonly today = Date.now()
  private waiting: Array<Archived> = []
  private writer = new SegmentWriter()
  private newest = new Map<string, Newest>()
  private first = 1
  private previous: SegmentName | null = null
  private indexed: Promise<void> = Promise.resolve()

  constructor(opened: OpenArchive, span: Span) {
    this.opened = opened
    this.span = span
  }

  get now(): number {
    const { from, to, expected } = this.span
    return Math.floor(Math.min(to, from + ((to - from) * this.last) / expected))
  }

  put(place: Place, commit: YearCommit, keepSeconds?: number): LogEntry {
    const at = this.now
    const seq = ++this.last
    const previous = place.seq
    place.seq = seq
    place.commits++
    const entry: LogEntry = { seq, previous, commit: { v: 1, ...commit, at } }
    if (keepSeconds !== undefined && keepSeconds < HOT_SECONDS) return entry
    const expires = keepSeconds === undefined ? null : at + keepSeconds * 1000
    const data = Buffer.from(JSON.stringify(entry.commit))
    const subject = subjects.event(place.kind, place.id)
    this.waiting.push({ seq, subject, at, previous, expires, traceparent: null, data })
    this.counts.stored++
    if (expires !== null) this.ends.push(expires)
    return entry
  }

  /** The number of commits that have not expired at a time (Unix ms). */
  standing(at: number): number {
    return this.counts.stored - this.ends.filter((end) => end <= at).length
  }

  /** Adds a message that the log has already. */
  take(message: Archived): void {
    this.last = message.seq
    this.waiting.push(message)
    this.counts.stored++
  }

  async drained(): Promise<void> {
    if (this.waiting.length >= WAITING_MAX) await this.flush()
  }

  /** Ends the archive and returns its newest segment. */
  async end(): Promise<SegmentName> {
    await this.flush()
    await this.endSegment()
    await this.indexed
    if (this.previous === null) throw new Error("nothing was archived")
    return this.previous
  }

  private async flush(): Promise<void> {
    const { waiting } = this
    this.waiting = []
    for (const commit of waiting) {
      await this.writer.add(commit)
      // The archiver would have removed expired commits from the index.
      if (commit.expires === null || commit.expires > this.today)
        this.newest.set(commit.subject, { seq: commit.seq, expires: commit.expires })
      if (this.writer.chars >= SEGMENT_CHARS) await this.endSegment(commit.seq)
    }
  }

  private async endSegment(last = this.last): Promise<void> {
    const { objects, index } = this.opened
    if (last < this.first) return
    const { object, parts, sha256 } = await this.writer.end(this.first, last, this.previous)
    const name: SegmentName = { first: this.first, last, sha256 }
    const { newest } = this
    this.counts.bytes += [object, ...parts.map((part) => part.object)].reduce((sum, one) => sum + one.length, 0)
    this.counts.segments++
    ;[this.writer, this.newest, this.first, this.previous] = [new SegmentWriter(), new Map(), last + 1, name]
    for (const part of parts) await objects.put(part.name, part.object)
    await objects.put(objectName(name), object)
    await this.indexed
    this.indexed = index
      .alone(async (writer) => {
        await writer.add(name, newest)
        return true
      })
      .then((done) => {
        if (done === null) throw new Error("another holds the lock on the archive's index")
      })
    this.indexed.catch(() => undefined)
  }
}
