/** Sends mail by SMTP: through a relay, or directly to the servers of the recipient. */
import { Clock, Effect, type Scope } from "effect"
import type { MailServer } from "../../../schemas/letter/settings.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { attempt, type Attempted } from "../../kit/mailing/smtp-transport.ts"
import { Connections } from "../../kit/mailing/smtp-connections.ts"
import type { Message } from "../../kit/mailing/transport.ts"
import type { Exchanges } from "./exchanges.ts"
import type { Outcome, Outgoing, Transport } from "./transport.ts"
import { monotonicMs } from "../../../schemas/runtime/clock.ts"

type Bounds = Pick<Limits["service"]["mail"], "send_timeout_ms" | "sends_at_once" | "mx_port">

const IDLE_MS = 10_000

const messageOf = ({ id, envelopeFrom, to, bytes }: Outgoing): Message => ({
  id,
  from: envelopeFrom,
  to,
  messageId: id,
  bytes
})

const outcomeOf = ({ fault, handing }: Attempted, delivered: boolean): Outcome => {
  if (fault === null) return { type: "sent", provider_id: null, delivered }
  const { reason, replied, of } = fault
  if (handing.whole && !replied) return { type: "unknown", reason }
  return of === null ? { type: "passing", reason } : { type: "refused", of, reason }
}

const settings = (name: string, { send_timeout_ms, sends_at_once }: Bounds) => ({
  name,
  letter_timeout_ms: send_timeout_ms,
  letters_at_once: sends_at_once,
  idle_ms: IDLE_MS
})

export const relayTransport = (
  server: MailServer,
  name: string,
  bounds: Bounds
): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.map(Clock.Clock, (clock) => new Connections(clock, server, settings(name, bounds))),
      (connections) => Effect.sync(() => connections.close())
    ),
    (connections): Transport => ({
      name: "relay",
      signs: true,
      repeatable: false,
      send: (outgoing, hurry) =>
        Effect.map(attempt(connections, messageOf(outgoing), hurry, bounds.send_timeout_ms), (made) =>
          outcomeOf(made, false)
        )
    })
  )

/** Tries the servers one after the other, until one has answered or may have taken the message. */
export const exchangeTransport = (exchanges: Exchanges, name: string, bounds: Bounds): Transport => {
  const over = (address: string, outgoing: Outgoing, hurry: Effect.Effect<void>, withinMs: number) =>
    Clock.clockWith((clock) => {
      const server: MailServer = { host: address, port: bounds.mx_port, tls: "offered", login: null }
      const connections = new Connections(clock, server, { ...settings(name, bounds), unverified: true })
      const made = attempt(connections, messageOf(outgoing), hurry, withinMs)
      return Effect.ensuring(
        made,
        Effect.sync(() => connections.close())
      )
    })
  return {
    name: "mx",
    signs: true,
    repeatable: false,
    send: (outgoing, hurry) =>
      Effect.gen(function* () {
        const found = yield* exchanges(outgoing.to.slice(outgoing.to.lastIndexOf("@") + 1))
        if (found.type !== "hosts") return found.outcome
        let last: Outcome = { type: "passing", reason: "no server of its domain can be reached" }
        const clock = yield* Clock.Clock
        const until = monotonicMs(clock) + bounds.send_timeout_ms
        for (const address of found.addresses) {
          const left = until - monotonicMs(clock)
          if (left <= 0) break
          const made = yield* over(address, outgoing, hurry, left)
          last = outcomeOf(made, true)
          if (last.type !== "passing" || made.fault?.replied === true || made.handing.begun) return last
        }
        return last
      })
  }
}
