/**
 * The request log: one JSON line a request on standard output. Lines are gathered and written together. A line tells
 * the path without its query and the client as a keyed hash; never headers, query, bodies, signatures or nonces.
 */
import type { Call } from "./call.ts"

const FLUSH_AFTER_MS = 100
const FLUSH_AT_CHARS = 65_536
const PATH_MAX_CHARS = 256

export class RequestLog {
  private lines = ""
  private timer: NodeJS.Timeout | null = null
  private readonly write: (text: string) => void

  constructor(write: (text: string) => void) {
    this.write = write
  }

  request(call: Call, status: number, bytes: number): void {
    const now = Date.now()
    this.add({
      time: new Date(now).toISOString(),
      id: call.id,
      method: call.method,
      path: call.path.slice(0, PATH_MAX_CHARS),
      status,
      ms: now - call.startedAt,
      bytes,
      ...(call.ticket === null ? {} : { key: call.ticket.hubId }),
      ...(call.clientRequestId === undefined ? {} : { client_request_id: call.clientRequestId }),
      client: call.client
    })
  }

  /** A fault of the service itself, under the reference that the client was given. */
  defect(call: Call, error: unknown): void {
    this.add({
      time: new Date().toISOString(),
      level: "error",
      id: call.id,
      method: call.method,
      path: call.path.slice(0, PATH_MAX_CHARS),
      error: error instanceof Error ? error.message : String(error),
      stack: error instanceof Error ? error.stack : undefined
    })
  }

  problem(where: string, error: unknown): void {
    this.add({ time: new Date().toISOString(), level: "warn", at: where, error: error instanceof Error ? error.message : String(error) })
  }

  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    if (this.lines === "") return
    const { lines } = this
    this.lines = ""
    this.write(lines)
  }

  private add(line: object): void {
    this.lines += `${JSON.stringify(line)}\n`
    if (this.lines.length >= FLUSH_AT_CHARS) this.flush()
    else this.timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS).unref()
  }
}
