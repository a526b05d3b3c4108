/**
 * Shares the event loop among clients that send large bodies. Work that is proportional to a body is done in steps of a
 * few milliseconds, and each step waits for a turn.
 *
 * Invariants
 *  - One turn of the event loop runs one step. So other requests wait for one step at most.
 *  - The sender is known before it waits for a turn (`Call.known`). So a stranger gets the first step only, and a key
 *    that nobody has registered is no client of its own.
 *  - Clients take turns. A client with ten bodies gets no more of them than a client with one.
 */
import { Effect } from "effect"
import type { Call } from "./call.ts"
import type { Refused } from "./refused.ts"

/** Bodies up to this size are read, decoded and searched in one step. */
export const LARGE_BODY_BYTES = 4_096

export class Turns {
  /** Keyed by client. The first client is next. */
  private readonly waiting = new Map<string, Array<() => void>>()
  private scheduled = false

  next(client: string): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const step = (): void => resume(Effect.void)
      const own = this.waiting.get(client)
      if (own === undefined) this.waiting.set(client, [step])
      else own.push(step)
      this.schedule()
      return Effect.sync(() => this.leave(client, step))
    })
  }

  private schedule(): void {
    if (this.scheduled || this.waiting.size === 0) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.run()
      this.schedule()
    })
  }

  private run(): void {
    for (const [client, steps] of this.waiting) {
      const step = steps.shift()
      this.waiting.delete(client)
      if (steps.length > 0) this.waiting.set(client, steps)
      step?.()
      return
    }
  }

  private leave(client: string, step: () => void): void {
    const steps = this.waiting.get(client)?.filter((one) => one !== step) ?? []
    if (steps.length > 0) this.waiting.set(client, steps)
    else this.waiting.delete(client)
  }
}

export const turns = new Turns()

/**
 * True if a person, a vault's token or an agent's key authenticates the request. Keys of registrations and recoveries
 * do not count, because they have no agent yet.
 */
export const isKnown = ({ ticket, person, holder, endpoint }: Call): boolean =>
  person !== null ||
  holder !== null ||
  (ticket !== null && endpoint?.signer !== "candidate" && endpoint?.signer !== "recovery")

/**
 * The account or client that the work on a request counts for: the account if it is known, otherwise the client's
 * address.
 */
export const turnOf = (call: Call): string => {
  const { ticket, person, holder, client } = call
  return isKnown(call) ? (person?.human ?? holder?.agent ?? ticket?.home ?? client) : client
}

/** Waits for a turn of the request's sender. Fails if the sender is refused. */
export const turnFor = (call: Call): Effect.Effect<void, Refused> =>
  Effect.andThen(
    call.known,
    Effect.suspend(() => turns.next(turnOf(call)))
  )
