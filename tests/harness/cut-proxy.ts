/**
 * A TCP proxy between one process and a server. It can interrupt the connection in the ways a network does:
 *
 * - cut: every connection is reset and new ones are refused, as when a cable is pulled and the host notices;
 * - stall: bytes are held back in both directions and connections stay open, as when packets vanish silently;
 * - heal: held bytes flow on and new connections are accepted.
 */
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"

type LineState = "open" | "cut" | "stalled"

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
}

export interface CutProxy {
  readonly port: number
  /** The address for the process: the target's address with the proxy's port. */
  readonly url: string
  readonly connections: () => number
  readonly cut: () => void
  readonly stall: () => void
  readonly heal: () => void
  readonly close: () => Promise<void>
}

export interface CutProxyOptions {
  /** Address of the server, such as nats://127.0.0.1:4222. */
  readonly target: string
}

export async function cutProxy(options: CutProxyOptions): Promise<CutProxy> {
  const target = new URL(options.target)
  const pairs = new Set<Pair>()
  let state: LineState = "open"

  // Both sides are paused until the line is open, so bytes that were sent meanwhile wait in the kernel. `noDelay` is
  // necessary, or every exchange would wait for acknowledgements that the other end delays.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
    if (state === "cut") return void client.resetAndDestroy()
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
    const pair = { client, upstream }
    pairs.add(pair)
    join(client, upstream, () => state === "open")
    join(upstream, client, () => state === "open")
    const drop = () => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on("error", drop).on("close", drop)
    if (state === "open") flow(pair)
    else upstream.pause()
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const port = (server.address() as AddressInfo).port
  const url = new URL(options.target)
  url.port = String(port)

  const cut = () => {
    state = "cut"
    for (const { client, upstream } of pairs) {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
  }
  return {
    port,
    url: url.href.replace(/\/$/, ""),
    connections: () => pairs.size,
    cut,
    stall: () => {
      state = "stalled"
      for (const { client, upstream } of pairs) {
        client.pause()
        upstream.pause()
      }
    },
    heal: () => {
      state = "open"
      for (const pair of pairs) flow(pair)
    },
    close: () => {
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}

function flow(pair: Pair): void {
  pair.client.resume()
  pair.upstream.resume()
}

/** Passes on the data of one side. Stops reading while the other side's buffer is full. */
function join(from: Socket, to: Socket, isOpen: () => boolean): void {
  from.on("data", (chunk) => {
    if (!to.write(chunk)) from.pause()
  })
  from.on("end", () => to.end())
  to.on("drain", () => {
    if (isOpen()) from.resume()
  })
}
