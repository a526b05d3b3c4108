/**
 * Queries of the read models: any node of a queue group answers, in one part or several (schemas/bus/parts.ts).
 *
 * A query changes nothing, so a try that hears nothing for TRY_MS is made again, of whichever node is drawn then: one that
 * is frozen or gone costs a moment, not the request. Where nobody listens the server says so, and the next try follows
 * soon. At the deadline, or when the connection is closed, the answer is `null`.
 */
import { randomUUID } from "node:crypto"
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { PART_HEADER, readPartHeader } from "../../schemas/bus/parts.ts"

const TRY_MS = 1500
const PAUSE_MS = 50
/** Queries of one edge under way at once; one more gets no answer. */
const UNDER_WAY_MAX = 2000

type Heard = { readonly kind: "answer"; readonly bytes: Uint8Array } | { readonly kind: "nobody" } | { readonly kind: "silence" }

interface Try {
  readonly parts: Array<Uint8Array>
  missing: number
  readonly settle: (heard: Heard) => void
}

export class QueryClient {
  private readonly nats: NatsConnection
  private readonly prefix = `_INBOX.${randomUUID()}.`
  private readonly tries = new Map<string, Try>()
  private next = 0

  constructor(nats: NatsConnection) {
    this.nats = nats
    nats.subscribe(`${this.prefix}*`, {
      callback: (error, message) => {
        if (error === null) this.receive(message)
      }
    })
  }

  async ask(subject: string, payload: Uint8Array, deadline: number): Promise<Uint8Array | null> {
    if (this.tries.size >= UNDER_WAY_MAX) return null
    for (let left = deadline - Date.now(); left > 0 && !this.nats.isClosed(); left = deadline - Date.now()) {
      const heard = await this.once(subject, payload, Math.min(TRY_MS, left))
      if (heard.kind === "answer") return heard.bytes
      if (heard.kind === "nobody") await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    return null
  }

  private once(subject: string, payload: Uint8Array, waitMs: number): Promise<Heard> {
    return new Promise((resolve) => {
      const token = String(++this.next)
      const settle = (heard: Heard): void => {
        clearTimeout(timer)
        this.tries.delete(token)
        resolve(heard)
      }
      const timer = setTimeout(() => settle({ kind: "silence" }), waitMs)
      this.tries.set(token, { parts: [], missing: -1, settle })
      try {
        this.nats.publish(subject, payload, { reply: this.prefix + token })
      } catch {
        settle({ kind: "nobody" })
      }
    })
  }

  private receive(message: Msg): void {
    const one = this.tries.get(message.subject.slice(this.prefix.length))
    if (one === undefined) return
    if (message.data.length === 0 && message.headers?.code === 503) return one.settle({ kind: "nobody" })
    const header = message.headers?.get(PART_HEADER) ?? ""
    if (header === "") return one.settle({ kind: "answer", bytes: message.data })
    const part = readPartHeader(header)
    if (part === null || one.parts[part.index] !== undefined) return
    if (one.missing === -1) one.missing = part.count
    one.parts[part.index] = message.data
    one.missing--
    if (one.missing === 0) one.settle({ kind: "answer", bytes: Buffer.concat(one.parts) })
  }
}
