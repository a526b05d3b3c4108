/** The sending side of the role `mail`. */
import { randomUUID } from "node:crypto"
import { Clock, Effect, type Scope } from "effect"
import { domainId } from "../../../schemas/mail-domain/id.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { addressesOf } from "../../../schemas/mail/sent.ts"
import type { SendJob } from "../../../schemas/mail/sending-operations.ts"
import type { MailSettings } from "../../../schemas/mail/settings.ts"
import { consumers } from "../../../schemas/subjects.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import { commitSource } from "../../kit/worker/source.ts"
import { Bus, Configuration, Tracing } from "../../kit/process.ts"
import type { DeliveryParts } from "../inbound/delivery.ts"
import type { InboundPorts } from "../inbound/ways.ts"
import { composed } from "./compose.ts"
import { orNone } from "../or-none.ts"
import { contentOf } from "./content.ts"
import { localTransport } from "./local.ts"
import { sendingToken } from "../keys.ts"
import { returnAddress } from "./return-path.ts"
import { signed } from "./sign.ts"
import type { Outgoing, Transport } from "./transport.ts"
import { outboundWorker } from "./worker.ts"

const notMade = unavailable("The message cannot be made at the moment.")

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** True if mail for a domain arrives here: for the service's domain, or for an agent's active domain. */
const isOwn = (ask: Asking, own: string, domain: string): Effect.Effect<boolean, Refusal> =>
  domain === own
    ? Effect.succeed(true)
    : Effect.map(
        orNone(ask(randomUUID(), "mail_domain.ready", domainId(domain), null)),
        (found) => found?.ready === true
      )

export interface OutboundParts {
  readonly settings: MailSettings
  readonly delivery: DeliveryParts
  readonly ways: InboundPorts
  readonly world: Transport
}

export const mailSender = (
  parts: OutboundParts
): Effect.Effect<void, never, Bus | Configuration | Tracing | Scope.Scope> =>
  Effect.gen(function* () {
    const { settings, delivery, ways, world } = parts
    const config = yield* Configuration
    const nats = yield* Bus
    const local = localTransport(delivery, ways)
    const { keys, ask } = delivery
    const made = (sending: string, job: SendJob, transport: Transport): Effect.Effect<Outgoing, Refusal> =>
      Effect.gen(function* () {
        const from = job.summary.from.address
        const domain = domainOf(from)
        const content = yield* contentOf(nats, job)
        const footer =
          settings.abuseContact === null ? null : `Sent by the agent ${job.agent}. Not wanted? ${settings.abuseContact}`
        const report = `${sending}-${sendingToken(keys, "report", sending)}`
        const unsubscribe = returnAddress(keys, "unsubscribe", sending, domain)
        const bytes = yield* Effect.tryPromise({
          try: () => composed(job, content, { footer, sending, report, unsubscribe }),
          catch: () => notMade
        })
        const whole = transport.signs
          ? yield* signed(ask, bytes, { id: `sign-${sending}-${randomUUID()}`, domain, at: job.at })
          : bytes
        return {
          id: sending,
          from,
          envelopeFrom: returnAddress(keys, "bounces", sending, domain),
          to: job.to,
          message: String(job.mail),
          recipients: addressesOf(job.summary),
          bytes: whole
        }
      })
    yield* outboundWorker({
      source: commitSource(yield* Clock.Clock, nats, yield* Tracing, consumers.outbound),
      ask,
      route: (to) => Effect.map(isOwn(ask, settings.domain, domainOf(to)), (own) => (own ? local : world)),
      made,
      bounds: config.limits.service.mail
    })
  })
