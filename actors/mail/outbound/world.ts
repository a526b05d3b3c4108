/** Chooses the transport of outgoing mail by the settings: SES, a relay, the servers of its recipients, or files. */
import { Effect, type Scope } from "effect"
import type { HubConfig } from "../../../schemas/config.ts"
import { MAIL_SERVICE_LIMITS } from "../../../schemas/mail/limits.ts"
import type { MailSettings, SesMail } from "../../../schemas/mail/settings.ts"
import { outboxOf } from "../../kit/mailing/outbox.ts"
import { resolverBy } from "../dns.ts"
import { exchangesBy } from "./exchanges.ts"
import { filesTransport } from "./file.ts"
import { exchangeTransport, relayTransport } from "./smtp.ts"
import type { ProviderBounds } from "../ses/client.ts"
import type { Transport } from "./transport.ts"

/** The SDK is loaded only in deployments that use SES. */
const sesTransport = (settings: SesMail, bounds: ProviderBounds): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.flatMap(
    Effect.promise(() => import("../ses/transport.ts")),
    ({ openSesTransport }) => openSesTransport(settings, bounds)
  )

export const externalTransport = (
  settings: MailSettings,
  { limits, env, data }: Pick<HubConfig, "limits" | "env" | "data">
): Effect.Effect<Transport, never, Scope.Scope> => {
  const bounds = limits.service.mail
  if (settings.provider === "ses") return sesTransport(settings, bounds)
  if (settings.relay !== null) return relayTransport(settings.relay, settings.domain, bounds)
  // A service in development must not send mail to real people by accident.
  if (env === "development" && bounds.mx_port === MAIL_SERVICE_LIMITS.mx_port)
    return Effect.succeed(filesTransport(outboxOf(data)))
  const exchanges = exchangesBy(resolverBy(settings, bounds), { loopback: env === "development" }, bounds)
  return Effect.succeed(exchangeTransport(exchanges, settings.domain, bounds))
}
