/**
 * The last lines of every process that a test started. They are shown only if a test fails: a successful run prints
 * nothing, and a failed one can be understood without running it again.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"

const LINES_KEPT = 200
const FILE_TAIL_BYTES = 8_000

export class LogBook {
  readonly #lines = new Map<string, Array<string>>()
  readonly #files = new Map<string, string>()

  add(source: string, line: string): void {
    const lines = this.#lines.get(source) ?? []
    this.#lines.set(source, lines)
    if (lines.push(line) > LINES_KEPT) lines.shift()
  }

  /** Adds a log that the process writes to a file itself. Its end is read when the logs are shown. */
  follow(source: string, file: string): void {
    this.#files.set(source, file)
  }

  lines(source: string): ReadonlyArray<string> {
    return this.#lines.get(source) ?? []
  }

  get sources(): ReadonlyArray<string> {
    return [...this.#lines.keys(), ...this.#files.keys()]
  }

  text(): string {
    const held = [...this.#lines].map(([source, lines]) => `--- ${source}\n${lines.join("\n")}`)
    const files = [...this.#files].map(([source, file]) => `--- ${source}\n${tailOf(file)}`)
    return [...held, ...files].join("\n")
  }
}

function tailOf(file: string): string {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, "r")
    const size = fstatSync(descriptor).size
    const from = Math.max(0, size - FILE_TAIL_BYTES)
    const buffer = Buffer.alloc(size - from)
    readSync(descriptor, buffer, 0, buffer.length, from)
    return buffer.toString("utf8")
  } catch {
    return "(no log)"
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

const open = new Set<LogBook>()

export function openLogBook(): LogBook {
  const book = new LogBook()
  open.add(book)
  return book
}

export function closeLogBook(book: LogBook): void {
  open.delete(book)
}

export function openLogs(): string {
  return [...open]
    .map((book) => book.text())
    .filter((text) => text !== "")
    .join("\n")
}
