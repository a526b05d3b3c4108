/** The bus transport over a NATS connection, named by its shape so that contracts need not import the client. */
import type { BusMessage, BusTransport } from "./asker.ts"

export interface NatsShape {
  publish(subject: string, payload?: Uint8Array, options?: { reply?: string }): void
  subscribe(
    subject: string,
    options: { queue?: string; callback: (error: Error | null, message: NatsMessageShape) => void }
  ): { unsubscribe(): void }
  isClosed(): boolean
  isDraining(): boolean
}

export interface NatsMessageShape {
  readonly subject: string
  readonly data: Uint8Array
  readonly reply?: string
  /** A header that is not there reads as an empty text. */
  readonly headers?: { readonly code: number; get(name: string): string }
}

/**
 * `onError` hears of messages that could not be handled: they are dropped, and whoever waits tries again. Nobody hears
 * of a connection that has ended: its askers try for as long as the process lives.
 */
export const transportOver = (nats: NatsShape, onError: (error: unknown) => void): BusTransport => ({
  publish: (subject, payload, reply) => {
    try {
      nats.publish(subject, payload, reply === undefined ? {} : { reply })
    } catch (failure) {
      // It must not end the process, whose timer this may be.
      if (!nats.isClosed() && !nats.isDraining()) onError(failure)
    }
  },
  subscribe: (subject, receive) => {
    nats.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return onError(error)
        try {
          receive(toBusMessage(message))
        } catch (failure) {
          onError(failure)
        }
      }
    })
  }
})

const toBusMessage = (message: NatsMessageShape): BusMessage => ({
  subject: message.subject,
  payload: message.data,
  reply: message.reply,
  noResponders: message.data.length === 0 && message.headers?.code === 503
})
