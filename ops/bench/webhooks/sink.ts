/** An HTTP server that receives the deliveries of the webhook benchmarks. */
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

export interface Sink {
  readonly port: number
  readonly url: string
  arrived: (id: string) => void
  readonly close: () => void
}

/** Starts a receiver that answers at once, or one that never answers. */
export const sink = async (alive: boolean): Promise<Sink> => {
  const server: Server = createServer((request, response) => {
    it.arrived(String(request.headers["webhook-id"]))
    request.resume()
    if (!alive) return
    response.writeHead(204)
    response.end()
  })
  server.keepAliveTimeout = 120_000
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const it: Sink = {
    port,
    url: `http://127.0.0.1:${port}/in`,
    arrived: () => undefined,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
  return it
}
