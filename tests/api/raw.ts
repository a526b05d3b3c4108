/** HTTP as bytes: what a well-made client would never send, and whatever comes back. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

const ANSWER_TIMEOUT_MS = 60_000

export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

const HEAD_END = Buffer.from("\r\n\r\n")

interface Parsed {
  readonly answer: RawAnswer
  readonly rest: Buffer
}

/** The first answer in the bytes; `null` while it is not whole. Throws where it is no HTTP. */
function parseAnswer(bytes: Buffer, withoutBody: boolean): Parsed | null {
  const end = bytes.indexOf(HEAD_END)
  if (end === -1) return null
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(first)?.[1])
  if (!Number.isInteger(status)) throw new Error(`no status line: ${JSON.stringify(first)}`)
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
  )
  const rest = bytes.subarray(end + HEAD_END.length)
  if (status === 100) return parseAnswer(rest, withoutBody)
  if (withoutBody || status === 204 || status === 304) return { answer: { status, headers, body: "" }, rest }
  if (headers.get("transfer-encoding") === "chunked") return parseChunks(rest, status, headers)
  if (!headers.has("content-length")) throw new Error(`an answer without its length: ${first} ${lines.join(" | ")}`)
  const length = Number(headers.get("content-length"))
  if (rest.length < length) return null
  return { answer: { status, headers, body: rest.subarray(0, length).toString("utf8") }, rest: rest.subarray(length) }
}

const LINE_END = Buffer.from("\r\n")

/** A body of which nobody knew the length: chunks, each with its own. */
function parseChunks(bytes: Buffer, status: number, headers: ReadonlyMap<string, string>): Parsed | null {
  const chunks: Array<Buffer> = []
  for (let at = 0; ;) {
    const end = bytes.indexOf(LINE_END, at)
    if (end === -1) return null
    const length = Number.parseInt(bytes.subarray(at, end).toString("latin1"), 16)
    const from = end + LINE_END.length
    if (bytes.length < from + length + LINE_END.length) return null
    at = from + length + LINE_END.length
    if (length === 0)
      return { answer: { status, headers, body: Buffer.concat(chunks).toString("utf8") }, rest: bytes.subarray(at) }
    chunks.push(bytes.subarray(from, from + length))
  }
}

/** A connection that is kept for one request after the other, and made anew when the service has closed it. */
export class RawLine {
  readonly #port: number
  #socket: Socket | null = null

  constructor(port: number) {
    this.#port = port
  }

  async exchange(request: Buffer): Promise<RawAnswer> {
    const socket = this.#socket ?? (await opened(this.#port))
    this.#socket = socket
    const withoutBody = request.subarray(0, 5).toString("latin1") === "HEAD "
    const answer = await new Promise<RawAnswer>((resolve, reject) => {
      let received = Buffer.alloc(0)
      const done = (settle: () => void): void => {
        clearTimeout(timer)
        socket.off("data", take).off("close", closed)
        settle()
      }
      const closed = (): void =>
        done(() =>
          reject(new Error(`closed without an answer to ${JSON.stringify(request.toString("latin1").slice(0, 300))}`))
        )
      const take = (chunk: Buffer): void => {
        received = Buffer.concat([received, chunk])
        try {
          const parsed = parseAnswer(received, withoutBody)
          if (parsed !== null) done(() => resolve(parsed.answer))
        } catch (cause) {
          done(() => reject(cause))
        }
      }
      const timer = setTimeout(
        () =>
          done(() =>
            reject(
              new Error(
                `no answer within ${ANSWER_TIMEOUT_MS} ms to ${JSON.stringify(request.toString("latin1").slice(0, 300))}`
              )
            )
          ),
        ANSWER_TIMEOUT_MS
      )
      socket.on("data", take).on("close", closed)
      socket.write(request)
    }).catch((cause: unknown) => {
      this.close()
      throw cause
    })
    if (answer.headers.get("connection") === "close") this.close()
    return answer
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }
}

async function opened(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  socket.on("error", () => undefined)
  await once(socket, "connect")
  return socket
}

/**
 * Sends bytes that may be no request, ends its side, and gives every answer that came before the service ended its
 * own.
 */
export async function provoke(port: number, bytes: Buffer): Promise<ReadonlyArray<RawAnswer>> {
  const socket = await opened(port)
  const chunks: Array<Buffer> = []
  socket.on("data", (chunk: Buffer) => chunks.push(chunk))
  const timer = setTimeout(() => socket.destroy(new Error("late")), ANSWER_TIMEOUT_MS)
  socket.end(bytes)
  await new Promise<void>((resolve) => socket.on("close", () => resolve()))
  clearTimeout(timer)
  const answers: Array<RawAnswer> = []
  const withoutBody = /^\s*HEAD /.test(bytes.subarray(0, 8).toString("latin1"))
  let rest = Buffer.concat(chunks)
  while (rest.length > 0) {
    const parsed = parseAnswer(rest, withoutBody && answers.length === 0)
    if (parsed === null) break
    answers.push(parsed.answer)
    rest = Buffer.from(parsed.rest)
  }
  return answers
}
