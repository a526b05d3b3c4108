/**
 * Sends agents' mail by SES (SendEmail of its API version 2): one recipient in a call.
 *
 * Invariants
 *  - A call sends at most once, because the client does not retry. If the connection broke after the request was sent,
 *    the outcome is unknown, and the request is not repeated.
 *  - The envelope sender belongs to SES. SES reports bounces by notification. SES signs (DKIM).
 *  - Reasons are our own words, because the provider's may contain an address.
 */
import { SendEmailCommand, SESv2Client, SESv2ServiceException } from "@aws-sdk/client-sesv2"
import { Effect } from "effect"
import { SENDING_TAG } from "../notice/feedback.ts"
import type { Outcome, Outgoing, Transport } from "../outbound/transport.ts"
import { clientSettings, type ProviderBounds } from "./client.ts"

export interface SesSending {
  readonly region: string
  readonly configurationSet: string | null
}

/** Errors of the account, not of the message. An operator has to act. */
const OF_THE_ACCOUNT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    AccountSuspendedException: "the provider has suspended the account",
    SendingPausedException: "the provider has paused sending",
    LimitExceededException: "the provider's quota is used up",
    MailFromDomainNotVerifiedException: "the provider does not know the sender's domain yet",
    NotFoundException: "the provider knows no such configuration set",
    AccessDeniedException: "the provider refused the credentials",
    UnrecognizedClientException: "the provider refused the credentials",
    InvalidClientTokenId: "the provider refused the credentials",
    ExpiredTokenException: "the provider refused the credentials",
    InvalidSignatureException: "the provider refused the credentials",
    SignatureDoesNotMatch: "the provider refused the credentials"
  })
)
const OF_THE_MESSAGE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    MessageRejected: "the provider rejected the message",
    BadRequestException: "the provider could not read the message"
  })
)

/** Errors before a connection existed, so that nothing can have been sent. */
const BEFORE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EPROTO"
])
const OF_TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/
/** The SDK's message for a connection that took too long. */
const NO_CONNECTION = /did not establish a connection/

const TOO_MANY = 429
const SERVER_FAULT = 500
const CLIENT_FAULT = 400
const UNAVAILABLE = 503

const noConnection: Outcome = { type: "passing", reason: "the provider cannot be reached" }
const unknown: Outcome = { type: "unknown", reason: "the provider has not said whether it took the message" }

const errorOutcome = (error: SESv2ServiceException, pausedSeconds: number): Outcome => {
  const status = error.$metadata.httpStatusCode ?? 0
  const account = OF_THE_ACCOUNT.get(error.name)
  if (account !== undefined) return { type: "passing", reason: account, retry_after: pausedSeconds }
  const message = OF_THE_MESSAGE.get(error.name)
  if (message !== undefined) return { type: "refused", of: "message", reason: message }
  if (status === TOO_MANY || /Throttl|TooManyRequests/.test(error.name))
    return { type: "passing", reason: "the provider takes no more at the moment" }
  if (status >= SERVER_FAULT) return { type: "passing", reason: `the provider has a fault (${status})` }
  if (status >= CLIENT_FAULT) return { type: "refused", of: "message", reason: `the provider refused it (${status})` }
  return unknown
}

const codeOf = (error: unknown): string => {
  const { code } = (typeof error === "object" && error !== null ? error : {}) as { readonly code?: unknown }
  return typeof code === "string" ? code : ""
}

/** The status of an answer that is not in the API's own format: a proxy in front of SES has refused the call. */
const rawStatusOf = (error: unknown): number | undefined => {
  const { $response } = (typeof error === "object" && error !== null ? error : {}) as {
    readonly $response?: { readonly statusCode?: number }
  }
  return $response?.statusCode
}

export const outcomeOf = (error: unknown, pausedSeconds: number): Outcome => {
  if (error instanceof SESv2ServiceException) return errorOutcome(error, pausedSeconds)
  const [name, words] = error instanceof Error ? [error.name, error.message] : ["", ""]
  if (name === "CredentialsProviderError")
    return { type: "passing", reason: "there are no credentials for the provider", retry_after: pausedSeconds }
  if (rawStatusOf(error) === UNAVAILABLE)
    return { type: "passing", reason: `the provider has a fault (${UNAVAILABLE})` }
  const code = codeOf(error)
  return BEFORE.has(code) || OF_TLS.test(code) || NO_CONNECTION.test(words) ? noConnection : unknown
}

export const openSesTransport = ({ region, configurationSet }: SesSending, bounds: ProviderBounds) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new SESv2Client(clientSettings(region, bounds))),
      (client) => Effect.sync(() => client.destroy())
    ),
    (client): Transport => ({
      name: "ses",
      // SES signs the message.
      signs: false,
      repeatable: false,
      send: (outgoing, hurry) =>
        Effect.raceFirst(sent(client, outgoing, configurationSet, bounds), Effect.as(hurry, unknown))
    })
  )

const sent = (
  client: SESv2Client,
  { id, from, to, bytes }: Outgoing,
  configurationSet: string | null,
  { provider_connect_ms, provider_call_ms, provider_paused_seconds }: ProviderBounds
): Effect.Effect<Outcome> => {
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: { Raw: { Data: bytes } },
    EmailTags: [{ Name: SENDING_TAG, Value: id }],
    ...(configurationSet === null ? {} : { ConfigurationSetName: configurationSet })
  })
  return Effect.match(
    Effect.tryPromise((interrupted) => {
      const within = AbortSignal.timeout(provider_connect_ms + provider_call_ms)
      return client.send(command, { abortSignal: AbortSignal.any([interrupted, within]) })
    }),
    {
      onSuccess: ({ MessageId = null }): Outcome => ({ type: "sent", provider_id: MessageId, delivered: false }),
      onFailure: ({ cause }) => outcomeOf(cause, provider_paused_seconds)
    }
  )
}
