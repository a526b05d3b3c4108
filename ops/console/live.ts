/**
 * Live pages: one stream of server-sent events for each open page. It begins with a snapshot, and continues with JSON
 * patches of it.
 *
 * Invariants
 *  - At most `STREAMS_MAX` streams are open. A stream whose reader is `BACKLOG_MAX_BYTES` behind is ended. Its page
 *    connects again and gets a new snapshot.
 *  - A source works only while it has a follower.
 *  - A stream ends with its session, one heartbeat later at most.
 */
import type { ServerResponse } from "node:http"
import type { Clock } from "effect"
import { EVENT_STREAM_TYPE, commentOf, retryOf } from "../../edge/notification/event-stream.ts"
import { every } from "../../schemas/runtime/clock.ts"
import { type Json, patchOf } from "./patch.ts"

export const STREAMS_MAX = 16
const BACKLOG_MAX_BYTES = 262_144
const HEARTBEAT_MS = 15_000
const RETRY_MS = 1000

/** Begins to publish snapshots. Returns a function that ends it. */
export type LiveSource = (publish: (snapshot: Json) => void) => () => void

const eventText = (name: "snapshot" | "patch", data: Json): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

interface Channel {
  readonly readers: Set<ServerResponse>
  snapshot: Json | undefined
  end: () => void
}

export class Live {
  private readonly clock: Clock.Clock
  private readonly channels = new Map<string, Channel>()
  private open = 0

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  get isFull(): boolean {
    return this.open >= STREAMS_MAX
  }

  /** Keeps the response open. `holds` is called at each heartbeat and tells if the session is still valid. */
  follow(
    name: string,
    source: LiveSource,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    holds: () => Promise<boolean>
  ): void {
    this.open++
    response.writeHead(200, { ...headers, "content-type": EVENT_STREAM_TYPE, "cache-control": "no-store" })
    response.write(retryOf(RETRY_MS))
    const beat = every(this.clock, HEARTBEAT_MS, () => {
      void holds().then((isOn) => (isOn ? send(response, commentOf("beat")) : response.end()))
    })
    const channel = this.channels.get(name)
    response.once("close", () => {
      beat()
      this.open--
      this.leave(name, response)
    })
    if (channel === undefined) this.begin(name, source, response)
    else {
      channel.readers.add(response)
      if (channel.snapshot !== undefined) send(response, eventText("snapshot", channel.snapshot))
    }
  }

  close(): void {
    for (const { readers } of this.channels.values()) for (const reader of readers) reader.destroy()
  }

  private begin(name: string, source: LiveSource, first: ServerResponse): void {
    const channel: Channel = { readers: new Set([first]), snapshot: undefined, end: () => undefined }
    this.channels.set(name, channel)
    channel.end = source((snapshot) => {
      const text = changeText(channel.snapshot, snapshot)
      channel.snapshot = snapshot
      if (text !== null) for (const reader of channel.readers) send(reader, text)
    })
  }

  private leave(name: string, response: ServerResponse): void {
    const channel = this.channels.get(name)
    if (channel === undefined || !channel.readers.delete(response) || channel.readers.size > 0) return
    this.channels.delete(name)
    channel.end()
  }
}

/** `null` if nothing has changed. */
const changeText = (before: Json | undefined, now: Json): string | null => {
  if (before === undefined) return eventText("snapshot", now)
  const patch = patchOf(before, now)
  return patch.length === 0 ? null : eventText("patch", patch)
}

const send = (reader: ServerResponse, text: string): void => {
  if (reader.destroyed) return
  reader.write(text)
  if (reader.writableLength > BACKLOG_MAX_BYTES) reader.destroy()
}
