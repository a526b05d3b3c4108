/** Connections that ask for more than their small buffers hold, and read none of it. Node cannot make buffers small. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { UNREAD_MAX_MS } from "../../schemas/runtime/places.ts"

/** By then no server has ended them for good, so that only places which were given away are seen. */
export const GIVES_WAY_WITHIN_MS = UNREAD_MAX_MS / 2

const PROGRAM = fileURLToPath(new URL("./unread.py", import.meta.url))

export interface Unread {
  readonly port: number
  /** Connections of each address. */
  readonly each: number
  readonly from: ReadonlyArray<string>
  readonly path: string
  readonly headers?: string
  /** How often each connection asks, in one go. */
  readonly times: number
}

/** Resolves when each connection has the begin of an answer, or has ended; with what ends them. */
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

/** The status of an answer on a connection of its own; `null` where there is none. */
export const statusOf = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<number | null> => {
  try {
    const answer = await fetch(url, { headers: { connection: "close", ...headers } })
    await answer.text()
    return answer.status
  } catch {
    return null
  }
}
