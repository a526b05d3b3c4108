/**
 * Settings for a node's connection to NATS. The client's types are described by their shape here, so that schemas/ need
 * not import the client.
 *
 * The client library writes to its socket at the end of every microtask in which something was published. Under load
 * that is a system call for each message on both sides, and a large part of a command's cost. Here the messages of one
 * turn of the event loop are written together at the end of that turn. No message waits for a timer.
 */

/** A stream that can collect its writes. */
interface Corkable {
  cork(): void
  uncork(): void
}

interface Transport {
  readonly isClosed: boolean
  /** The socket is replaced by another one for encryption. It is missing before the connection is made. */
  readonly socket: Corkable | undefined
  send(frame: Uint8Array): void
  close(error?: Error): Promise<void>
}

/** The same transport, with collected writes. */
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

/** The settings of a node's connection. It reconnects forever, and also waits forever for the first connection. */
export const STEADFAST = {
  reconnect: true,
  maxReconnectAttempts: -1,
  waitOnFirstConnect: true,
  // If a server's machine is gone, nothing arrives. After this time of silence the connection is closed, and another
  // server is tried.
  pingInterval: 2000,
  maxPingOut: 2,
  timeout: 2000,
  // Names are resolved by `addressesOf` (schemas/runtime/names.ts), which the transport is given.
  resolve: true,
  // Errors get no stack traces. Otherwise one would be made for every request.
  noAsyncTraces: true
} as const
