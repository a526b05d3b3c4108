/**
 * The bus transport over a NATS connection. The client is described by its shape, so that schemas/ need not import it.
 */
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
  /** A missing header reads as an empty text. */
  readonly headers?: { readonly code: number; get(name: string): string }
}

/**
 * `onError` is called for messages that could not be handled. They are dropped, and their askers try again. The end of
 * the connection is not reported, because askers try as long as the process lives.
 */
export const transportOver = (nats: NatsShape, onError: (error: unknown) => void): BusTransport => ({
  publish: (subject, payload, reply) => {
    try {
      nats.publish(subject, payload, reply === undefined ? {} : { reply })
    } catch (failure) {
      // An error must not end the process, because this may run in a timer.
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
