/**
 * Delivers messages of a process to itself. If only this process listens on a subject, the message need not cross the
 * server.
 *
 * Invariants
 *  - Only subjects that belong to one process are delivered in this way: those of a session, and an asker's replies.
 *  - A message arrives after the sender's turn of the event loop, as a message from the server would.
 *  - If no listener is left, the message goes to the server, which reports to the sender that there is none.
 */
import type { BusMessage, BusTransport } from "../../schemas/runtime/bus/asker.ts"

type Receive = (message: BusMessage) => void

export interface Loopback extends BusTransport {
  /**
   * Receives what this process sends to the subject, in addition to what the server delivers, until the returned
   * function is called.
   */
  readonly listen: (subject: string, receive: Receive) => () => void
}

const ANY_LAST = ".*"

export const loopback = (transport: BusTransport, onError: (error: unknown) => void): Loopback => {
  const exact = new Map<string, Receive>()
  /** Listeners by the subject without its last token. */
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
