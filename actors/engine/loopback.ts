/**
 * The bus of a process that asks itself: what it sends to where it alone listens need not cross the server.
 *
 * Invariants
 *  - Subjects of one process alone are looped: a session's own, and an asker's replies.
 *  - A message arrives after the sender's turn of the event loop, as one from the server does.
 *  - If nobody listens any more the server is asked, which says so to the sender.
 */
import type { BusMessage, BusTransport } from "../../schemas/runtime/bus/asker.ts"

type Receive = (message: BusMessage) => void

export interface Loopback extends BusTransport {
  /** Hears, besides the server's, what this process sends there; until the returned function is called. */
  readonly listen: (subject: string, receive: Receive) => () => void
}

const ANY_LAST = ".*"

/** `onError` hears of messages that could not be handled. */
export const loopback = (transport: BusTransport, onError: (error: unknown) => void): Loopback => {
  const exact = new Map<string, Receive>()
  /** By the subject without its last part. */
  const prefixed = new Map<string, Receive>()
  const listener = (subject: string): Receive | undefined =>
    exact.get(subject) ?? prefixed.get(subject.slice(0, subject.lastIndexOf(".")))
  return {
    publish: (subject, payload, reply) => {
      const receive = listener(subject)
      if (receive === undefined) return transport.publish(subject, payload, reply)
      setImmediate(() => {
        try {
          receive({ subject, payload, reply, noResponders: false })
        } catch (error) {
          onError(error)
        }
      })
    },
    subscribe: (subject, receive) => {
      if (subject.endsWith(ANY_LAST)) prefixed.set(subject.slice(0, -ANY_LAST.length), receive)
      transport.subscribe(subject, receive)
    },
    listen: (subject, receive) => {
      exact.set(subject, receive)
      return () => void exact.delete(subject)
    }
  }
}
