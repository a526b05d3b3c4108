/** A server on this machine that plays whatever a test wants of a hub or a website, and keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Asked {
  readonly method: string
  readonly target: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export type Play = (asked: Asked, response: ServerResponse, count: number) => void | Promise<void>

export interface Player {
  readonly url: string
  /** Host and port. */
  readonly host: string
  readonly asked: ReadonlyArray<Asked>
  readonly stop: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

export async function startPlayer(play: Play, name = "127.0.0.1"): Promise<Player> {
  const asked: Array<Asked> = []
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const one = { method: request.method ?? "", target: request.url ?? "", headers: request.headers, body }
      asked.push(one)
      await play(one, response, asked.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const host = `${name}:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}`,
    host,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

export const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): void => {
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
    .end(JSON.stringify(body))
}

export const data = (response: ServerResponse, value: unknown, meta?: unknown): void =>
  json(response, 200, { ok: true, data: value, ...(meta === undefined ? {} : { meta }) })

export const refuse = (
  response: ServerResponse,
  status: number,
  code: string,
  details: unknown = {},
  headers: Readonly<Record<string, string>> = {}
): void => json(response, status, { ok: false, error: { code, message: `played: ${code}`, details } }, headers)
