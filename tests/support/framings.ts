/**
 * Requests that a server and a proxy before it could interpret in two ways. Each of them must be refused, and nothing
 * after it may be read.
 */
import { once } from "node:events"
import { connect } from "node:net"

type Framing = readonly [name: string, lines: ReadonlyArray<string>, body: string, version?: string]

/**
 * `body` is the beginning of another request, which a server would read if it took the length or the encoding
 * differently.
 */
const framings = (host: string): ReadonlyArray<Framing> => [
  ["without a Host", [], ""],
  ["with two Hosts", [`Host: ${host}`, `hOST: ${host}`], ""],
  ["with two lengths", [`Host: ${host}`, "Content-Length: 0", "Content-Length: 2"], "{}"],
  ["with a length and a coding", [`Host: ${host}`, "Content-Length: 4", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ["of a coding that nobody knows", [`Host: ${host}`, "Transfer-Encoding: xchunked"], "0\r\n\r\n"],
  ["that is coded twice", [`Host: ${host}`, "Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
  ["of HTTP/1.0 with a coding", [`Host: ${host}`, "Transfer-Encoding: chunked"], "0\r\n\r\n", "1.0"],
  ["with an empty Host", ["Host:"], ""],
  ["of HTTP/1.0 with an empty Host", ["Host: "], "", "1.0"],
  ["with a Host of two words", ["Host: a b"], ""],
  ["with a Host that has a path", [`Host: ${host}/a`], ""],
  ["with a Host that has a user", [`Host: a@${host}`], ""],
  ["with two names in a Host", [`Host: ${host}, ${host}`], ""],
  ["with a Host whose port is none", ["Host: 127.0.0.1:a"], ""],
  ["with a Host of other letters", ["Host: h\u00fcb.example"], ""]
]

export const FRAMINGS: ReadonlyArray<string> = framings("").map(([name]) => name)

/**
 * Sends this request and then a valid one. Returns the statuses of all answers once the server has closed the
 * connection.
 */
export const framed = async (
  port: number,
  name: string,
  { path, headers = [] }: { readonly path: string; readonly headers?: ReadonlyArray<string> }
): Promise<ReadonlyArray<number>> => {
  const host = `127.0.0.1:${port}`
  const [, lines, body, version = "1.1"] = framings(host).find((one) => one[0] === name) ?? ["", [], ""]
  const good = [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers].join("\r\n")
  const bad = [`GET ${path} HTTP/${version}`, ...lines, ...headers].join("\r\n")
  const socket = connect({ port, host: "127.0.0.1" })
  const parts: Array<Buffer> = []
  socket.on("error", () => undefined)
  socket.on("data", (part: Buffer) => parts.push(part))
  socket.write(`${bad}\r\n\r\n${body}${good}\r\n\r\n`)
  await once(socket, "close")
  return [
    ...Buffer.concat(parts)
      .toString()
      .matchAll(/HTTP\/1\.1 (\d{3}) /g)
  ].map(([, status]) => Number(status))
}
