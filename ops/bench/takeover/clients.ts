/**
 * The load of the takeover's case: an agent of each shard, with one client. The client sends its next request a while
 * after the last answer, and alternates between a durable write and a read.
 */
import { connect } from "node:net"
import { hubIdOf } from "../../../schemas/signing/key.ts"
import { SHARD_COUNT, shardOf } from "../../../schemas/subjects.ts"
import { type BenchAgent, newAgent, signedRequest } from "../agents.ts"

/** Long enough for only a few hundred requests a second: the takeover is measured, not an overloaded machine. */
const PAUSE_MS = 100
const HEADER_END = Buffer.from("\r\n\r\n")
const OK = "200"

export type Kind = "read" | "write"

/** A wait for an answer, in times of `performance.now()`. */
export interface Gap {
  readonly from: number
  readonly to: number
  /** The kind of the request whose answer ended the wait. */
  readonly kind: Kind
}

interface Success {
  readonly sentAt: number
  readonly at: number
  readonly kind: Kind
}

export const agentsOfAllShards = (): ReadonlyArray<BenchAgent> => {
  const agents = new Map<number, BenchAgent>()
  while (agents.size < SHARD_COUNT) {
    const agent = newAgent()
    const shard = shardOf(hubIdOf(Buffer.from(agent.publicKey, "base64")))
    if (!agents.has(shard)) agents.set(shard, agent)
  }
  return [...agents].toSorted(([a], [b]) => a - b).map(([, agent]) => agent)
}

export class Client {
  readonly shard: number
  /** The number of answers that were no success, by status. */
  readonly refused: Record<string, number> = {}
  private readonly agent: BenchAgent
  private readonly port: number
  private successes: Array<Success> = []
  private writes = 0
  private kind: Kind = "read"
  private sentAt = 0
  private stopping = false

  constructor(shard: number, agent: BenchAgent, port: number) {
    this.shard = shard
    this.agent = agent
    this.port = port
  }

  /** Discards the successful answers so far. The counts of refused ones are kept. */
  forget(): void {
    this.successes = []
  }

  /** The number of successful answers to requests that were sent after a moment. */
  answeredSince(moment: number): number {
    return this.successes.filter(({ sentAt }) => sentAt >= moment).length
  }

  /** The longest wait for an answer after a moment. The client's own pauses do not count. */
  longestGap(moment: number): Gap {
    let longest: Gap = { from: moment, to: moment, kind: "read" }
    for (const { sentAt, at, kind } of this.successes) {
      const from = Math.max(sentAt, moment)
      if (at - from > longest.to - longest.from) longest = { from, to: at, kind }
    }
    return longest
  }

  stop(): void {
    this.stopping = true
  }

  /** Resolves when the client is stopped. Rejects if the edge closes the connection. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, "127.0.0.1")
      socket.setNoDelay(true)
      let received: Buffer = Buffer.alloc(0)
      const send = (): void => {
        if (this.stopping) {
          socket.destroy()
          return resolve()
        }
        socket.write(this.next())
      }
      socket.on("connect", send)
      socket.on("error", reject)
      socket.on("close", () => reject(new Error("the edge closed a connection")))
      socket.on("data", (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
        const status = statusOfWhole(received)
        if (status === null) return
        received = Buffer.alloc(0)
        this.answered(status)
        setTimeout(send, PAUSE_MS)
      })
    })
  }

  private next(): Buffer {
    this.kind = this.kind === "read" ? "write" : "read"
    const host = `127.0.0.1:${this.port}`
    const request =
      this.kind === "read"
        ? signedRequest(this.agent, host, "GET", "/api/v1/me")
        : signedRequest(this.agent, host, "PATCH", "/api/v1/me", `{"description":"version ${++this.writes}"}`)
    this.sentAt = performance.now()
    return request
  }

  private answered(status: string): void {
    const { sentAt, kind } = this
    if (status === OK) this.successes.push({ sentAt, at: performance.now(), kind })
    else this.refused[status] = (this.refused[status] ?? 0) + 1
  }
}

/** The status of a complete answer, or `null` if more of it is to come. */
const statusOfWhole = (received: Buffer): string | null => {
  const end = received.indexOf(HEADER_END)
  if (end < 0) return null
  const head = received.toString("latin1", 0, end)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  return received.length < end + HEADER_END.length + length ? null : head.slice(9, 12)
}
