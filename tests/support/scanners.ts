/**
 * Scanners of an operator that speak the real protocols: clamd (INSTREAM) and Rspamd (`/checkv2`). A test can make them
 * misbehave.
 */
import { createServer as createHttpServer, type IncomingMessage } from "node:http"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"

/**
 * The EICAR test file: it is harmless, but every virus scanner finds it. It is split in two so that none finds it here.
 */
export const EICAR = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-", "STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("")
/** The same for spam filters. */
export const GTUBE = ["XJS*C4JDBQADN1.NSBN3*2IDNEN*", "GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"].join("")

interface Played {
  readonly port: number
  /** The complete messages that it received. */
  readonly seen: Array<Buffer>
  readonly stop: () => Promise<void>
}

/** The reply; `null` for none, as long as the other side waits. */
export interface Clamd extends Played {
  says: ((raw: Buffer) => string | null) | null
}

const holds = (raw: Buffer, text: string): boolean =>
  raw.includes(text) || raw.toString("latin1").replaceAll(/\s/g, "").includes(Buffer.from(text).toString("base64"))

const foundIn = (raw: Buffer): string => (holds(raw, EICAR) ? "stream: Eicar-Test FOUND\0" : "stream: OK\0")

const COMMAND = "zINSTREAM\0"
const LENGTH_BYTES = 4

/** The message, once all of it has arrived. */
const streamed = (bytes: Buffer): Buffer | null => {
  if (!bytes.subarray(0, COMMAND.length).equals(Buffer.from(COMMAND))) return null
  const chunks: Array<Buffer> = []
  for (let at = COMMAND.length; at + LENGTH_BYTES <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length))
    at += LENGTH_BYTES + length
  }
  return null
}

const listening = (server: Server, port: number): Promise<number> =>
  new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))

export const playedClamd = async (port = 0): Promise<Clamd> => {
  const open = new Set<Socket>()
  const seen: Array<Buffer> = []
  const clamd: { says: Clamd["says"] } = { says: foundIn }
  const server = createServer((socket) => {
    open.add(socket)
    let bytes = Buffer.alloc(0)
    socket.on("error", () => undefined)
    socket.on("close", () => open.delete(socket))
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      const raw = streamed(bytes)
      if (raw === null) return
      seen.push(raw)
      const answer = clamd.says?.(raw) ?? null
      if (answer !== null) socket.end(answer)
    })
  })
  return Object.assign(clamd, {
    port: await listening(server, port),
    seen,
    stop: async () => {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }
  })
}

export interface Rspamd extends Played {
  /** The headers of all requests. */
  readonly asked: Array<IncomingMessage["headersDistinct"]>
  says: (raw: Buffer) => { readonly status: number; readonly body: string } | null
}

const action = (name: string, more: object = {}) => ({
  status: 200,
  body: JSON.stringify({ is_skipped: false, score: 0, required_score: 15, action: name, symbols: {}, ...more })
})

export const rspamdSays = action

export const playedRspamd = async (): Promise<Rspamd> => {
  const seen: Array<Buffer> = []
  const asked: Rspamd["asked"] = []
  const rspamd: Pick<Rspamd, "says"> = {
    says: (raw) => (holds(raw, GTUBE) ? action("reject", { is_skipped: true }) : action("no action"))
  }
  const server = createHttpServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const raw = Buffer.concat(chunks)
      seen.push(raw)
      asked.push(request.headersDistinct)
      const said = request.url === "/checkv2" ? rspamd.says(raw) : { status: 404, body: "" }
      if (said !== null) response.writeHead(said.status).end(said.body)
    })
  })
  return Object.assign(rspamd, {
    port: await listening(server, 0),
    seen,
    asked,
    stop: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }
  })
}
