/**
 * Sends letters by SMTP, over a few connections that are kept for a short time (smtp-connections.ts).
 *
 * Invariants
 *  - It is always known whether the mail server may have the letter. The message is sent only after the server's answer
 *    to DATA, and no server takes it without its end. After the end is sent, only a reply gives the outcome; without a
 *    reply it is `unknown`.
 *  - An attempt ends in time, whatever the server does. Its connection ends with it, so nothing of it happens later.
 *  - An attempt uses one connection. It uses a second one only if the first was a kept one that closed before the
 *    message began.
 *  - If TLS is configured and fails, the attempt fails. It does not continue without TLS.
 */
import { Clock, Effect, type Scope } from "effect"
import type { LetterOutcome } from "../../../schemas/letter/operations.ts"
import type { MailServer } from "../../../schemas/letter/settings.ts"
import { Connections, type Handed, Handing, type Settings } from "./smtp-connections.ts"
import type { Message, Transport } from "./transport.ts"

export const smtpTransport = (server: MailServer, settings: Settings): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.map(Clock.Clock, (clock) => new Connections(clock, server, settings)),
      (connections) => Effect.sync(() => connections.close())
    ),
    (connections): Transport => ({
      name: "smtp",
      send: (message, hurry) => sent(connections, message, hurry, settings.letter_timeout_ms)
    })
  )

const sent = (
  connections: Connections,
  message: Message,
  hurry: Effect.Effect<void>,
  withinMs: number
): Effect.Effect<LetterOutcome> =>
  Effect.map(attempt(connections, message, hurry, withinMs), ({ fault, handing: { whole } }) => {
    if (fault === null) return { type: "sent", message_id: message.messageId }
    const { reason, final, replied } = fault
    if (whole && !replied) return { type: "unknown", reason }
    return { type: final ? "final" : "passing", reason }
  })

export interface Attempted extends Handed {
  readonly handing: Handing
}

/** Makes one attempt within its time limit; `hurry` shortens it. */
export const attempt = (
  connections: Connections,
  message: Message,
  hurry: Effect.Effect<void>,
  withinMs: number
): Effect.Effect<Attempted> =>
  Effect.suspend(() => {
    const handing = new Handing(message)
    const late = Effect.as(Effect.sleep(withinMs), without("timeout"))
    const ended = Effect.as(hurry, without("it was cut short"))
    const handed = Effect.raceFirst(connections.deliver(handing), Effect.raceFirst(late, ended))
    return Effect.map(handed, ({ fault }) => ({ fault, handing }))
  })

/** The outcome of an attempt to which the server has not replied. */
const without = (reason: string): Handed => ({ fault: { reason, final: false, replied: false, of: null } })
