/**
 * Reports the ends of containers as the engine announces them. While the engine is down, it announces nothing, not even
 * later. So listeners also check all containers from time to time.
 */
import type { Readable } from "node:stream"
import { setTimeout as delay } from "node:timers/promises"
import { createInterface } from "node:readline"
import type Docker from "dockerode"
import { LABELS } from "./docker.ts"

const RETRY_MS = 500
/** A line of the engine is far shorter. */
const LINE_MAX_CHARS = 64 * 1024

export interface EndedRun {
  readonly compartment: string
  readonly run: number
}

function endedOf(line: string): EndedRun | null {
  if (line.length > LINE_MAX_CHARS) return null
  const told = JSON.parse(line) as { Actor?: { Attributes?: Readonly<Record<string, string>> } }
  const labels = told.Actor?.Attributes ?? {}
  const compartment = labels[LABELS.compartment]
  const run = Number(labels[LABELS.run])
  return compartment === undefined || !Number.isInteger(run) ? null : { compartment, run }
}

export async function watchExits(
  docker: Docker,
  tag: string,
  told: (ended: EndedRun) => void,
  signal: AbortSignal
): Promise<void> {
  const filters = { type: ["container" as const], event: ["die"], label: [`${LABELS.tag}=${tag}`] }
  while (!signal.aborted) {
    try {
      const stream = (await docker.getEvents({ filters, abortSignal: signal })) as Readable
      const lines = createInterface({ input: stream, signal })
      // If the engine dies, the stream fails and the lines would not end.
      stream.on("error", () => lines.close()).on("close", () => lines.close())
      for await (const line of lines) {
        const ended = endedOf(line)
        if (ended !== null) told(ended)
      }
    } catch {
      // The engine is away; the loop tries again below.
    }
    if (!signal.aborted) await delay(RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
}
