/**
 * The last lines of a compartment. Their ids increase, and continue after a restart of this process.
 *
 * Invariants
 *  - A chunk is first journaled and then split. A journal that is read back is split by the same rules into lines with
 *    the same ids.
 *  - While the journal can be written, ids have no gaps and no id is used twice, even if lines are dropped unread (a
 *    flood).
 *  - A full disk stops no program: lines are then kept only in memory until there is room again.
 */
import { setTimeout as delay } from "node:timers/promises"
import { type JournalRecord, Journal } from "./journal.ts"
import { LineSplitter, type Split } from "./lines.ts"
import type { Line, LogPage, LogQuery, Stream } from "./types.ts"

interface Begin {
  readonly next: number
  readonly stdout: string
  readonly stderr: string
}

type Piped = "stdout" | "stderr"
/** Waiting readers are woken this often at most, however much is written. */
const WAKE_GAP_MS = 50

const PIPED: ReadonlyArray<Piped> = ["stdout", "stderr"]

const encodeBegin = (begin: Begin): Buffer => Buffer.from(JSON.stringify(begin))

export class Ring {
  private readonly limit: number
  private readonly note: (line: string) => void
  private readonly journal: Journal
  private readonly splitters = { stdout: new LineSplitter(), stderr: new LineSplitter() }
  /** The line of id n is at n modulo the limit. */
  private readonly slots: Array<Line | undefined>
  private next = 1
  private oldest = 1
  private firsts: Array<number> = []
  private broken = false
  private closed = false
  private readonly waiting = new Set<() => void>()

  private constructor(folder: string, limit: number, note: (line: string) => void) {
    this.limit = limit
    this.note = note
    this.slots = Array.from({ length: limit })
    this.journal = Journal.open(folder, (record) => this.replay(record))
  }

  static open(folder: string, limit: number, note: (line: string) => void = () => undefined): Ring {
    return new Ring(folder, limit, note)
  }

  get lastId(): number {
    return this.next - 1
  }

  append(stream: Piped, chunk: Uint8Array, at = Date.now()): void {
    this.record({ kind: stream, at, bytes: chunk })
  }

  say(text: string, at = Date.now()): void {
    this.record({ kind: "system", at, bytes: Buffer.from(text) })
  }

  /** The program has ended, so its unfinished lines are complete. */
  end(at = Date.now()): void {
    if (PIPED.some((stream) => this.splitters[stream].pending.length > 0))
      this.record({ kind: "end", at, bytes: Buffer.alloc(0) })
  }

  read({ sinceId, limit, stream, q }: Omit<LogQuery, "waitMs">): LogPage {
    const text = q?.toLowerCase() ?? null
    const fits = (line: Line): boolean =>
      (stream === null || line.stream === stream) && (text === null || line.line.toLowerCase().includes(text))
    const truncated = sinceId !== null && sinceId + 1 < this.oldest
    if (sinceId === null) {
      const lines = this.from(this.oldest).filter(fits)
      return { lines: lines.slice(-limit), truncated, more: false, lastId: this.lastId }
    }
    const lines = this.from(sinceId + 1).filter(fits)
    const page = lines.slice(0, limit)
    const more = lines.length > page.length
    return { lines: page, truncated, more, lastId: more ? (page.at(-1)?.id ?? sinceId) : this.lastId }
  }

  /** Like `read`, but waits until something matches, the time is over or the ring is closed. */
  async wait(query: LogQuery): Promise<LogPage> {
    const end = Date.now() + query.waitMs
    // Each line is searched only once: after each wake only the new ones.
    let sinceId = query.sinceId
    for (;;) {
      const page = this.read({ ...query, sinceId })
      const left = end - Date.now()
      if (page.lines.length > 0 || left <= 0 || this.closed) return page
      sinceId = page.lastId
      if (!(await this.news(left))) return page
      await delay(Math.min(WAKE_GAP_MS, Math.max(0, end - Date.now())))
    }
  }

  close(): void {
    this.closed = true
    this.wake()
    this.journal.close()
  }

  /** True when a line was added; false when the time is over. */
  private news(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (came: boolean): void => {
        clearTimeout(timer)
        this.waiting.delete(woken)
        resolve(came)
      }
      const woken = (): void => settle(true)
      const timer = setTimeout(settle, ms, false)
      this.waiting.add(woken)
    })
  }

  private wake(): void {
    for (const woken of this.waiting) woken()
  }

  private from(id: number): ReadonlyArray<Line> {
    const lines: Array<Line> = []
    for (let at = Math.max(id, this.oldest); at < this.next; at++) {
      const line = this.slots[at % this.limit]
      if (line !== undefined) lines.push(line)
    }
    return lines
  }

  private record(record: JournalRecord): void {
    this.save(record)
    const before = this.next
    this.take(record)
    if (this.next > before) this.wake()
  }

  private save(record: JournalRecord): void {
    try {
      // A failed write may have left half a record, after which nothing can be read. So a new segment is begun.
      if (this.journal.full || this.broken) this.begin()
      this.journal.write(record)
      this.broken = false
    } catch (cause) {
      if (!this.broken) this.note(`output is not kept on disk: ${cause instanceof Error ? cause.message : cause}`)
      this.broken = true
    }
  }

  private begin(): void {
    const pending = (stream: Piped): string => this.splitters[stream].pending.toString("base64")
    this.journal.begin(encodeBegin({ next: this.next, stdout: pending("stdout"), stderr: pending("stderr") }))
    this.firsts.push(this.next)
    // A segment is needed until the segments after it contain all lines that are kept.
    const needed = this.firsts.findLastIndex((first) => first <= this.next - this.limit)
    if (needed > 0) {
      this.firsts = this.firsts.slice(needed)
      this.journal.drop(this.firsts.length)
    }
  }

  private replay(record: JournalRecord): void {
    if (record.kind !== "begin") return this.take(record)
    const { next, stdout, stderr } = JSON.parse(Buffer.from(record.bytes).toString()) as Begin
    // If the end of the previous segment is lost, those lines and their ids are missing.
    if (next !== this.next) this.oldest = next
    this.next = next
    this.splitters.stdout = new LineSplitter(Buffer.from(stdout, "base64"))
    this.splitters.stderr = new LineSplitter(Buffer.from(stderr, "base64"))
    this.firsts.push(next)
  }

  private take({ kind, at, bytes }: JournalRecord): void {
    if (kind === "begin") return
    if (kind === "system") return this.add("system", at, whole(bytes))
    if (kind === "end") return PIPED.forEach((stream) => this.add(stream, at, this.splitters[stream].flush()))
    this.add(kind, at, this.splitters[kind].split(bytes, this.limit))
  }

  private add(stream: Stream, at: number, { count, lines }: Split): void {
    this.next += count
    lines.forEach((line, index) => {
      const id = this.next - lines.length + index
      this.slots[id % this.limit] = { id, at, stream, line }
    })
    this.oldest = Math.max(this.oldest, this.next - this.limit)
  }
}

/** Makes exactly one line of any bytes. */
function whole(bytes: Uint8Array): Split {
  const splitter = new LineSplitter()
  const line = Buffer.from(bytes).toString().replaceAll("\n", " ")
  const { lines } = splitter.split(Buffer.from(`${line}\n`), 1)
  return { count: 1, lines }
}
