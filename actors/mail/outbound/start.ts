/** The sending side of the role `mail`. */
import { Effect, type Scope } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { SendJob } from "../../../schemas/mail/sending-operations.ts"
import type { MailSettings } from "../../../schemas/mail/settings.ts"
import { consumers } from "../../../schemas/subjects.ts"
import { commitSource } from "../../fanout/source.ts"
import { Bus, Configuration, Tracing } from "../../process/services.ts"
import type { DeliveryParts } from "../inbound/delivery.ts"
import type { Recipient } from "../inbound/server.ts"
import type { Lookup } from "../dns.ts"
import { composed } from "./compose.ts"
import { contentOf } from "./content.ts"
import { localTransport } from "./local.ts"
import { returnAddress } from "./return-path.ts"
import type { Outgoing, Transport } from "./transport.ts"
import { outboundWorker } from "./worker.ts"
import { worldTransport } from "./world.ts"

const notMade = unavailable("The message cannot be made at the moment.")

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

export interface OutboundParts {
  readonly settings: MailSettings
  readonly delivery: DeliveryParts
  readonly lookup: Lookup
  readonly recipient: (address: string) => Effect.Effect<Recipient>
}

/** Sends for as long as the scope is open. */
export const mailSender = (
  parts: OutboundParts
): Effect.Effect<void, never, Bus | Configuration | Tracing | Scope.Scope> =>
  Effect.gen(function* () {
    const { settings, delivery, lookup, recipient } = parts
    const config = yield* Configuration
    const nats = yield* Bus
    const world = yield* worldTransport(settings, lookup, config)
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
      bounds: config.limits.service.mail
    })
  })
