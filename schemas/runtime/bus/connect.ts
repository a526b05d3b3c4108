/**
 * Connects a node to NATS. By shapes alone: contracts need no client.
 *
 * The client library writes to its socket at the end of every microtask in which something was published. Under load
 * that is a system call for each message, on both sides, and much of what a command costs. Here what one turn of the
 * event loop brings is written together, at the end of that turn: nothing waits for a clock.
 */

/** A stream that can hold back its writes. */
interface Corkable {
  cork(): void
  uncork(): void
}

/** A transport of the client library. */
interface Transport {
  readonly isClosed: boolean
  /** Another one once it is encrypted; none before it is connected. */
  readonly socket: Corkable | undefined
  send(frame: Uint8Array): void
  close(error?: Error): Promise<void>
}

/** The same transport, with delayed writes. */
export const corked = <One extends Transport>(transport: One): One => {
  let held: Corkable | null = null
  const release = (): void => {
    held?.uncork()
    held = null
  }
  const send = transport.send.bind(transport)
  transport.send = (frame) => {
    if (held === null && !transport.isClosed && transport.socket !== undefined) {
      held = transport.socket
      held.cork()
      setImmediate(release)
    }
    send(frame)
  }
  const close = transport.close.bind(transport)
  // Writes of this turn leave before the connection closes.
  transport.close = (error) => {
    release()
    return close(error)
  }
  return transport
}

/** The settings of a node's connection: it never gives up, and waits for the first server as for all later ones. */
export const STEADFAST = {
  reconnect: true,
  maxReconnectAttempts: -1,
  waitOnFirstConnect: true,
  // A server whose machine is gone says nothing: after so much silence the line is given up, and another one tried.
  pingInterval: 2000,
  maxPingOut: 2,
  timeout: 2000,
  // By `addressesOf` (schemas/runtime/names.ts), which the transport is given.
  resolve: true,
  // Without their stacks: one is made for every request otherwise.
  noAsyncTraces: true
} as const
