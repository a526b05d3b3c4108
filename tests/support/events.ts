/** Reads server-sent events like an agent's program: over one connection, or over several with Last-Event-ID. */
import { request } from "node:http"
import type { ClientRequest, IncomingMessage } from "node:http"
import type { Notification } from "../../schemas/notification/api.ts"
import type { AgentClient } from "./client.ts"
import type { Exchange } from "./http.ts"

export interface StreamEvent {
  readonly id: number
  readonly event: string
  readonly data: Notification
}

export interface StreamOptions {
  readonly edge?: string
  readonly query?: string
  readonly lastEventId?: string
}

const PATH = "/api/v1/me/notifications/stream"

const eventOf = (block: string): StreamEvent | null => {
  const fields = new Map(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
  )
  const id = fields.get("id")
  return id === undefined
    ? null
    : {
        id: Number(id),
        event: fields.get("event") ?? "",
        data: JSON.parse(fields.get("data") ?? "null") as Notification
      }
}

/** Reads the events of one connection. */
export class EventReader {
  readonly events: Array<StreamEvent> = []
  readonly comments: Array<string> = []
  status = 0
  headers: IncomingMessage["headers"] = {}
  /** The body of a refusal. */
  refusal = ""
  ended = false
  /** Resolves when the connection ends, for whatever reason. */
  readonly end: Promise<void>
  readonly #outgoing: ClientRequest
  #incoming: IncomingMessage | null = null
  #rest = ""

  constructor({ edge, method, path, headers }: Exchange, onEvent: (event: StreamEvent) => void = () => undefined) {
    const target = new URL(edge)
    this.#outgoing = request({
      agent: false,
      host: target.hostname,
      port: target.port,
      method,
      path,
      headers: { ...headers }
    })
    this.end = new Promise((resolve) => {
      this.#outgoing.on("error", () => this.#close(resolve))
      this.#outgoing.on("response", (incoming) => {
        this.#incoming = incoming
        this.status = incoming.statusCode ?? 0
        this.headers = incoming.headers
        incoming.setEncoding("utf8")
        incoming.on("data", (text: string) => this.#take(text, onEvent))
        incoming.on("error", () => undefined)
        incoming.on("close", () => this.#close(resolve))
      })
    })
    this.#outgoing.end()
  }

  get ids(): ReadonlyArray<number> {
    return this.events.map(({ id }) => id)
  }

  /** Reads nothing more from the connection until it is resumed. */
  pause(): void {
    this.#incoming?.pause()
  }

  close(): void {
    this.#outgoing.destroy()
  }

  #take(text: string, onEvent: (event: StreamEvent) => void): void {
    if (this.status !== 200) {
      this.refusal += text
      return
    }
    const blocks = (this.#rest + text).split("\n\n")
    this.#rest = blocks.pop() ?? ""
    for (const block of blocks) {
      if (block.startsWith(":")) this.comments.push(block.slice(2))
      const event = eventOf(block)
      if (event === null) continue
      this.events.push(event)
      onEvent(event)
    }
  }

  #close(resolve: () => void): void {
    this.ended = true
    resolve()
  }
}

export const openEvents = (
  client: AgentClient,
  { edge, query = "", lastEventId }: StreamOptions = {},
  onEvent?: (event: StreamEvent) => void
): EventReader =>
  new EventReader(
    client.signed("GET", PATH + query, {
      ...(edge === undefined ? {} : { edge }),
      headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId }
    }),
    onEvent
  )

const RECONNECT_MS = 50

/** Connects to the next edge whenever its connection ends, and continues after the last id that it received. */
export class EventFollower {
  readonly ids: Array<number> = []
  connections = 0
  /** Statuses of refused connections. */
  readonly refused: Array<number> = []
  readonly #client: AgentClient
  readonly #edges: ReadonlyArray<string>
  #reader: EventReader | null = null
  #stopped = false
  readonly #done: Promise<void>

  constructor(client: AgentClient, edges: ReadonlyArray<string>) {
    this.#client = client
    this.#edges = edges
    this.#done = this.#follow()
  }

  get reader(): EventReader | null {
    return this.#reader
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#reader?.close()
    await this.#done
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      const edge = this.#edges[this.connections % this.#edges.length] ?? ""
      const last = this.ids.at(-1)
      this.connections++
      this.#reader = openEvents(
        this.#client,
        { edge, ...(last === undefined ? { query: "?since_id=0" } : { lastEventId: String(last) }) },
        ({ id }) => this.ids.push(id)
      )
      await this.#reader.end
      if (this.#reader.status !== 200 && this.#reader.status !== 0) this.refused.push(this.#reader.status)
      if (!this.#stopped) await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
    }
  }
}
