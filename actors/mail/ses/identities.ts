/** Domains of agents as SES knows them, and how the account itself stands. Asking twice changes nothing. */
import {
  AlreadyExistsException,
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetAccountCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  SESv2Client
} from "@aws-sdk/client-sesv2"
import { Data, Effect } from "effect"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { clientSettings, type ProviderBounds } from "./client.ts"

export const IDENTITY_STATUSES = ["SUCCESS", "PENDING", "FAILED", "TEMPORARY_FAILURE", "NOT_STARTED"] as const
export type IdentityStatus = (typeof IDENTITY_STATUSES)[number]

export interface AccountState {
  /** Whether it may send at all. */
  readonly sending: boolean
  /** Not in the sandbox, where only addresses that are known may be written to. */
  readonly production: boolean
  readonly per_day: number | null
  readonly sent_day: number | null
  readonly per_second: number | null
}

export interface Identities {
  /** Names of the DKIM records: `<token>._domainkey.<domain>`. */
  readonly declareIdentity: (domain: string) => Effect.Effect<ReadonlyArray<string>, ProviderFault>
  /** `null`: SES knows no such domain. */
  readonly identityStatus: (domain: string) => Effect.Effect<IdentityStatus | null, ProviderFault>
  readonly deleteIdentity: (domain: string) => Effect.Effect<void, ProviderFault>
  readonly accountState: Effect.Effect<AccountState, ProviderFault>
}

/** Of calls that may be made again. */
const ATTEMPTS = 3

/** The provider did not do it; it may be asked again. `reason`: the provider's own name for it. */
export class ProviderFault extends Data.TaggedError("ProviderFault")<{ readonly reason: string }> {}

const statusIn = (status: string | undefined): IdentityStatus =>
  IDENTITY_STATUSES.find((known) => known === status) ?? "PENDING"

/** For the life of the process. */
export const identitiesFor = (region: string, bounds: ProviderBounds): Identities =>
  identitiesOf(new SESv2Client(clientSettings(region, bounds, ATTEMPTS)), bounds)

const identitiesOf = (client: SESv2Client, { provider_connect_ms, provider_call_ms }: ProviderBounds): Identities => {
  const withinMs = ATTEMPTS * (provider_connect_ms + provider_call_ms)
  const called = <A>(
    call: (options: { readonly abortSignal: AbortSignal }) => Promise<A>
  ): Effect.Effect<A, ProviderFault> =>
    Effect.mapError(
      Effect.tryPromise((interrupted) =>
        call({ abortSignal: AbortSignal.any([interrupted, AbortSignal.timeout(withinMs)]) })
      ),
      ({ cause }) => {
        const reason = cause instanceof Error ? cause.name : "no answer"
        logNow("warn", "mail", { provider: reason })
        return new ProviderFault({ reason })
      }
    )

  return {
    declareIdentity: (EmailIdentity) =>
      called(async (options) => {
        const created = await client
          .send(new CreateEmailIdentityCommand({ EmailIdentity }), options)
          .catch((error: unknown) => {
            if (error instanceof AlreadyExistsException)
              return client.send(new GetEmailIdentityCommand({ EmailIdentity }), options)
            throw error
          })
        const tokens = created.DkimAttributes?.Tokens ?? []
        if (tokens.length === 0) throw new Error("an identity without DKIM tokens")
        return tokens
      }),
    identityStatus: (EmailIdentity) =>
      called(async (options) => {
        try {
          const { DkimAttributes } = await client.send(new GetEmailIdentityCommand({ EmailIdentity }), options)
          return statusIn(DkimAttributes?.Status)
        } catch (error) {
          if (error instanceof NotFoundException) return null
          throw error
        }
      }),
    deleteIdentity: (EmailIdentity) =>
      called(async (options) => {
        await client.send(new DeleteEmailIdentityCommand({ EmailIdentity }), options).catch((error: unknown) => {
          if (!(error instanceof NotFoundException)) throw error
        })
      }),
    accountState: called(async (options) => {
      const account = await client.send(new GetAccountCommand({}), options)
      return {
        sending: account.SendingEnabled === true && account.EnforcementStatus !== "SHUTDOWN",
        production: account.ProductionAccessEnabled === true,
        per_day: account.SendQuota?.Max24HourSend ?? null,
        sent_day: account.SendQuota?.SentLast24Hours ?? null,
        per_second: account.SendQuota?.MaxSendRate ?? null
      }
    })
  }
}
