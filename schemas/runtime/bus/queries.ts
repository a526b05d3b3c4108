/**
 * Sends queries to the read models. Any node of a queue group answers, in one part or several (parts.ts).
 *
 * A query can be repeated without harm. So a try without an answer is followed by another one, to any node of the
 * group, and a frozen or dead node only delays the answer. A node that works on the query says so and gets more time,
 * so that a slow database does not get the query several times. A late answer to an earlier try is accepted. If no node
 * listens, the server reports that, and the next try follows after `PAUSE_MS`.
 *
 * The result is `null` at the deadline, and at the first try after the connection has closed.
 */
import type { Clock } from "effect"
import { after, type Cancel, wallMs } from "../clock.ts"
import { TRACEPARENT } from "../trace/traceparent.ts"
import { CLIENT_HEADER, DEADLINE_HEADER, PART_HEADER, readPartHeader, TAKEN_HEADER } from "./parts.ts"
import type { Requests } from "./requests.ts"

const FIRST_WAIT_MS = 400
const LAST_WAIT_MS = 800
/**
 * A query without an answer is tried at least this often before its deadline, if each try can wait `WAIT_MIN_MS`. If
 * one of two nodes is frozen, both of two tries would often reach that node.
 */
const TRIES_MIN = 8
const WAIT_MIN_MS = 100
/** The wait for an answer after a node has said that it works on the query. */
const TAKEN_WAIT_MS = 3200
const PAUSE_MS = 50
/** The most queries of one client under way. The result of a further one is `null` at once. */
const UNDER_WAY_MAX = 2000
const NO_RESPONDERS = 503

/** The part of the NATS client's headers that is used here. */
export interface HeadersShape {
  readonly code: number
  has(name: string): boolean
  get(name: string): string
  set(name: string, value: string): void
}

interface QueryMessage<Headers> {
  readonly subject: string
  readonly data: Uint8Array
  readonly headers?: Headers
}

type Sends<Headers> = Pick<Requests<QueryMessage<Headers>, Headers>, "send" | "forget">

/** A query, which is tried again until it is settled. */
interface Query {
  readonly subject: string
  readonly payload: Uint8Array
  /** Unix ms. */
  readonly deadline: number
  readonly traceparent: string | undefined
  readonly client: string | undefined
  readonly tries: Array<number>
  readonly settle: (answer: Uint8Array | null) => void
  readonly again: (waitMs: number) => void
}

export class QueryClient<Headers extends HeadersShape> {
  private readonly clock: Clock.Clock
  private readonly requests: Sends<Headers>
  private readonly newHeaders: () => Headers
  private readonly isClosed: () => boolean
  private underWay = 0

  constructor(
    clock: Clock.Clock,
    requests: Sends<Headers>,
    line: { readonly newHeaders: () => Headers; readonly isClosed: () => boolean }
  ) {
    this.clock = clock
    this.requests = requests
    this.newHeaders = line.newHeaders
    this.isClosed = line.isClosed
  }

  ask(
    subject: string,
    payload: Uint8Array,
    deadline: number,
    traceparent?: string,
    client?: string
  ): Promise<Uint8Array | null> {
    if (this.underWay >= UNDER_WAY_MAX) return Promise.resolve(null)
    this.underWay++
    return new Promise((resolve) => {
      let timer: Cancel | undefined
      const most = Math.max(WAIT_MIN_MS, (deadline - wallMs(this.clock)) / TRIES_MIN)
      let wait = Math.min(FIRST_WAIT_MS, most)
      const send = (): void => {
        if (wallMs(this.clock) >= deadline || this.isClosed()) return query.settle(null)
        this.send(query)
        query.again(wait)
        wait = Math.min(wait * 2, LAST_WAIT_MS, most)
      }
      const query: Query = {
        subject,
        payload,
        deadline,
        traceparent,
        client,
        tries: [],
        settle: (answer) => {
          timer?.()
          for (const number of query.tries) this.requests.forget(number)
          this.underWay--
          resolve(answer)
        },
        again: (waitMs) => {
          timer?.()
          timer = after(this.clock, Math.max(0, Math.min(waitMs, deadline - wallMs(this.clock))), send)
        }
      }
      send()
    })
  }

  private send(query: Query): void {
    const { subject, payload, deadline, traceparent, client, tries } = query
    const headers = this.newHeaders()
    headers.set(TAKEN_HEADER, "1")
    headers.set(DEADLINE_HEADER, String(Math.ceil(deadline)))
    if (traceparent !== undefined) headers.set(TRACEPARENT, traceparent)
    if (client !== undefined) headers.set(CLIENT_HEADER, client)
    tries.push(this.requests.send(subject, payload, deadline - wallMs(this.clock), answersTo(query), headers))
  }
}

/** Collects the parts of the answer to one try. */
const answersTo = <Headers extends HeadersShape>(query: Query) => {
  const parts: Array<Uint8Array> = []
  let missing = -1
  return (message: QueryMessage<Headers> | null): void => {
    // The try ended without an answer. The query's timer starts the next try, or ends the query.
    if (message === null) return
    const { data, headers } = message
    if (headers?.has(TAKEN_HEADER) === true) return query.again(TAKEN_WAIT_MS)
    if (data.length === 0 && headers?.code === NO_RESPONDERS) return query.again(PAUSE_MS)
    const header = headers?.get(PART_HEADER) ?? ""
    if (header === "") return query.settle(data)
    const part = readPartHeader(header)
    if (part === null || parts[part.index] !== undefined) return
    if (missing === -1) missing = part.count
    parts[part.index] = data
    missing--
    if (missing === 0) query.settle(joined(parts))
  }
}

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
