/** The sending side of the role `mail`. */
import { Effect, type Scope } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { MAIL_SERVICE_LIMITS } from "../../../schemas/mail/limits.ts"
import type { SendJob } from "../../../schemas/mail/sending-operations.ts"
import type { MailSettings } from "../../../schemas/mail/settings.ts"
import { consumers } from "../../../schemas/subjects.ts"
import { commitSource } from "../../fanout/source.ts"
import { outboxOf } from "../../letter/outbox.ts"
import { Bus, Configuration, Tracing } from "../../process/services.ts"
import type { DeliveryParts } from "../inbound/delivery.ts"
import type { Recipient } from "../inbound/server.ts"
import type { Lookup } from "../inbound/verdicts.ts"
import { composed } from "./compose.ts"
import { contentOf } from "./content.ts"
import { exchangesBy } from "./exchanges.ts"
import { filesTransport } from "./file.ts"
import { localTransport } from "./local.ts"
import { returnAddress } from "./return-path.ts"
import { exchangeTransport, relayTransport } from "./smtp.ts"
import type { Outgoing, Transport } from "./transport.ts"
import { outboundWorker } from "./worker.ts"

const notMade = unavailable("The message cannot be made at the moment.")

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

export interface OutboundParts {
  readonly settings: MailSettings
  readonly delivery: DeliveryParts
  readonly lookup: Lookup
  readonly recipient: (address: string) => Effect.Effect<Recipient>
}

/** Mail to the world. */
const worldly = ({
  settings,
  lookup
}: Pick<OutboundParts, "settings" | "lookup">): Effect.Effect<Transport, never, Configuration | Scope.Scope> =>
  Effect.gen(function* () {
    const { limits, env, data } = yield* Configuration
    const bounds = limits.service.mail
    if (settings.relay !== null) return yield* relayTransport(settings.relay, settings.domain, bounds)
    // A service that is tried out writes to nobody by chance.
    if (env === "development" && bounds.mx_port === MAIL_SERVICE_LIMITS.mx_port) return filesTransport(outboxOf(data))
    const exchanges = exchangesBy(lookup, { loopback: env === "development" }, bounds)
    return exchangeTransport(exchanges, settings.domain, bounds)
  })

/** Sends for as long as the scope is open. */
export const mailSender = (
  parts: OutboundParts
): Effect.Effect<void, never, Bus | Configuration | Tracing | Scope.Scope> =>
  Effect.gen(function* () {
    const { settings, delivery, recipient } = parts
    const { limits } = yield* Configuration
    const nats = yield* Bus
    const world = yield* worldly(parts)
    const local = localTransport(delivery, recipient)
    const { keys, ask } = delivery
    const made = (sending: string, job: SendJob, _transport: Transport): Effect.Effect<Outgoing, Refusal> =>
      Effect.gen(function* () {
        const from = job.summary.from.address
        const domain = domainOf(from)
        const content = yield* contentOf(nats, job)
        const footer =
          settings.abuseContact === null ? null : `Sent by the agent ${job.agent}. Not wanted? ${settings.abuseContact}`
        const unsubscribe = returnAddress(keys, "unsubscribe", sending, domain)
        const bytes = yield* Effect.tryPromise({
          try: () => composed(job, content, { footer, sending, unsubscribe }),
          catch: () => notMade
        })
        return { id: sending, from, envelopeFrom: returnAddress(keys, "bounces", sending, domain), to: job.to, bytes }
      })
    yield* outboundWorker({
      source: commitSource(nats, yield* Tracing, consumers.outbound),
      ask,
      route: (to) => Effect.succeed(domainOf(to) === settings.domain ? local : world),
      made,
      bounds: limits.service.mail
    })
  })
