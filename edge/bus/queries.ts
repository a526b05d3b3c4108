/**
 * Queries of the read models: any node of a queue group answers, in one part or several (schemas/runtime/bus/parts.ts).
 *
 * A query changes nothing, so a try that hears nothing is followed by another, of whichever node is drawn then: one
 * that is frozen or gone costs a moment, not the request, however often it is drawn. A node that is at it says so, and
 * gets time: a slow database is not asked ever more. A late answer to an earlier try still counts. Where nobody listens
 * the server says so, and the next try follows soon. At the deadline, or when the connection is closed, the answer is
 * `null`.
 */
import { createInbox, headers, type Msg, type NatsConnection } from "@nats-io/transport-node"
import { PART_HEADER, readPartHeader, TAKEN_HEADER } from "../../schemas/runtime/bus/parts.ts"
import { inboxOf } from "../../schemas/bus/roles.ts"
import { TRACEPARENT } from "../../schemas/runtime/trace/traceparent.ts"

const FIRST_WAIT_MS = 400
const LAST_WAIT_MS = 800
/** For a node that has said that it is at work. */
const TAKEN_WAIT_MS = 3200
const PAUSE_MS = 50
/** Queries of one edge under way at once; one more gets no answer. */
const UNDER_WAY_MAX = 2000

interface Try {
  readonly query: Query
  readonly parts: Array<Uint8Array>
  missing: number
}

interface Query {
  readonly tokens: Array<string>
  readonly settle: (answer: Uint8Array | null) => void
  readonly again: (waitMs: number) => void
}

export class QueryClient {
  private readonly nats: NatsConnection
  private readonly prefix = `${createInbox(inboxOf("edge"))}.`
  private readonly tries = new Map<string, Try>()
  private underWay = 0
  private next = 0

  constructor(nats: NatsConnection) {
    this.nats = nats
    nats.subscribe(`${this.prefix}*`, {
      callback: (error, message) => {
        if (error === null) this.receive(message)
      }
    })
  }

  ask(subject: string, payload: Uint8Array, deadline: number, traceparent?: string): Promise<Uint8Array | null> {
    if (this.underWay >= UNDER_WAY_MAX) return Promise.resolve(null)
    this.underWay++
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      let wait = FIRST_WAIT_MS
      const send = (): void => {
        if (Date.now() >= deadline || this.nats.isClosed()) return query.settle(null)
        this.send(query, subject, payload, traceparent)
        query.again(wait)
        wait = Math.min(wait * 2, LAST_WAIT_MS)
      }
      const query: Query = {
        tokens: [],
        settle: (answer) => {
          clearTimeout(timer)
          for (const token of query.tokens) this.tries.delete(token)
          this.underWay--
          resolve(answer)
        },
        again: (waitMs) => {
          clearTimeout(timer)
          timer = setTimeout(send, Math.max(0, Math.min(waitMs, deadline - Date.now())))
        }
      }
      send()
    })
  }

  private send(query: Query, subject: string, payload: Uint8Array, traceparent: string | undefined): void {
    const token = String(++this.next)
    query.tokens.push(token)
    this.tries.set(token, { query, parts: [], missing: -1 })
    try {
      this.nats.publish(subject, payload, { reply: this.prefix + token, headers: headersOf(traceparent) })
    } catch {
      // A connection that is closing: the next try says so.
    }
  }

  private receive(message: Msg): void {
    const token = message.subject.slice(this.prefix.length)
    const one = this.tries.get(token)
    if (one === undefined) return
    if (message.headers?.has(TAKEN_HEADER) === true) return one.query.again(TAKEN_WAIT_MS)
    if (message.data.length === 0 && message.headers?.code === 503) return one.query.again(PAUSE_MS)
    const header = message.headers?.get(PART_HEADER) ?? ""
    if (header === "") return one.query.settle(message.data)
    const part = readPartHeader(header)
    if (part === null || one.parts[part.index] !== undefined) return
    if (one.missing === -1) one.missing = part.count
    one.parts[part.index] = message.data
    one.missing--
    if (one.missing === 0) one.query.settle(Buffer.concat(one.parts))
  }
}

const headersOf = (traceparent: string | undefined) => {
  const all = headers()
  all.set(TAKEN_HEADER, "1")
  if (traceparent !== undefined) all.set(TRACEPARENT, traceparent)
  return all
}
