/**
 * Connections that request more than their small buffers can hold, and do not read it. A Python program opens them,
 * because Node cannot set the size of buffers.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { UNREAD_MAX_MS } from "../../schemas/runtime/places.ts"

/** Servers do not close these connections as hanging before this time, so a closed one has made room for others. */
export const GIVES_WAY_WITHIN_MS = UNREAD_MAX_MS / 2

const PROGRAM = fileURLToPath(new URL("./unread.py", import.meta.url))

export interface Unread {
  readonly port: number
  /** The number of connections from each address. */
  readonly each: number
  readonly from: ReadonlyArray<string>
  readonly path: string
  readonly headers?: string
  /** The number of requests that each connection sends at once. */
  readonly times: number
}

/** Resolves when each connection has the beginning of an answer, or was closed. Returns a function that ends them. */
export const leaveUnread = async (unread: Unread): Promise<() => Promise<void>> => {
  const request = `GET ${unread.path} HTTP/1.1\r\nHost: 127.0.0.1:${unread.port}\r\n${unread.headers ?? ""}\r\n`
  const program = spawn("python3", [
    PROGRAM,
    ...[unread.port, unread.each].map(String),
    request,
    String(unread.times),
    ...unread.from
  ])
  const ended = once(program, "exit")
  const opened = await Promise.race([once(program.stdout, "data").then(() => true), ended.then(() => false)])
  if (!opened) throw new Error("the program that reads no answers has failed")
  return async () => {
    program.stdin.end()
    await ended
  }
}

/** The status of an answer on a new connection; `null` if there is none. */
export const statusOf = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<number | null> => {
  try {
    const answer = await fetch(url, { headers: { connection: "close", ...headers } })
    await answer.text()
    return answer.status
  } catch {
    return null
  }
}
