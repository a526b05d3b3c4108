/** Answers of many processes to one question on the bus. Any process may answer, as often as it wants. */
import type { Msg, NatsConnection } from "@nats-io/transport-node"

export interface Bounds {
  /** The wait for each answer behind the first. */
  readonly stallMs: number
  /** The wait for all of them. An answer that is late by less than `stallMs` may still be taken. */
  readonly withinMs: number
  readonly max: number
}

/**
 * Ends early if no process listens. The library bounds neither the number nor the time of answers that come without a
 * pause, so both are bounded here.
 */
export async function* answersTo(
  nats: NatsConnection,
  subject: string,
  body: string,
  { stallMs, withinMs, max }: Bounds
): AsyncGenerator<Msg, void> {
  const end = performance.now() + withinMs
  let count = 0
  try {
    const answers = await nats.requestMany(subject, body, { strategy: "stall", stall: stallMs, maxWait: withinMs })
    for await (const answer of answers) {
      yield answer
      if (++count >= max || performance.now() >= end) return
    }
  } catch (error) {
    // Compared by name, because a bundle may contain the class twice.
    if (!(error instanceof Error && error.name === "NoResponders")) throw error
  }
}
