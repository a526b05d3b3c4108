/**
 * Generates load over persistent connections, each of which sends its next request when the last one is answered.
 * Requests are made and signed before the clock starts and written to sockets directly, so that the client takes little
 * of the machine's processor time. The service and the baselines get the same client.
 */
import { connect, type Socket } from "node:net"

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly statuses: Readonly<Record<string, number>>
}

/** `next` gives each connection its next request, or `null` when there are no more. */
export const runLoad = async (
  port: number | ReadonlyArray<number>,
  clients: number,
  next: (client: number) => Buffer | null
): Promise<LoadResult> => {
  const ports = typeof port === "number" ? [port] : port
  const latencies: Array<number> = []
  const statuses: Record<string, number> = {}
  const began = performance.now()
  await Promise.all(
    Array.from({ length: clients }, (_, client) =>
      runClient(ports[client % ports.length] ?? 0, () => next(client), latencies, statuses)
    )
  )
  const seconds = (performance.now() - began) / 1000
  const sorted = Float64Array.from(latencies).toSorted()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { requests: sorted.length, seconds, p50Ms: at(0.5), p99Ms: at(0.99), statuses }
}

const HEADER_END = Buffer.from("\r\n\r\n")

const runClient = (
  port: number,
  next: () => Buffer | null,
  latencies: Array<number>,
  statuses: Record<string, number>
): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket: Socket = connect(port, "127.0.0.1")
    socket.setNoDelay(true)
    let sentAt = 0
    let received: Buffer = Buffer.alloc(0)
    const send = () => {
      const request = next()
      if (request === null) {
        socket.destroy()
        resolve()
        return
      }
      sentAt = performance.now()
      socket.write(request)
    }
    socket.on("connect", send)
    socket.on("error", reject)
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const end = received.indexOf(HEADER_END)
      if (end < 0) return
      const head = received.toString("latin1", 0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (received.length < end + 4 + length) return
      latencies.push(performance.now() - sentAt)
      const status = head.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      received = Buffer.alloc(0)
      send()
    })
  })
