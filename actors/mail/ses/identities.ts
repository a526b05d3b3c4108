/** Domains of agents at SES, and the state of the account itself. Calls can be repeated. */
import {
  AlreadyExistsException,
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetAccountCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  PutEmailIdentityDkimSigningAttributesCommand,
  SESv2Client
} from "@aws-sdk/client-sesv2"
import { Data, Effect } from "effect"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { clientSettings, type ProviderBounds } from "./client.ts"

export const IDENTITY_STATUSES = ["SUCCESS", "PENDING", "FAILED", "TEMPORARY_FAILURE", "NOT_STARTED"] as const
export type IdentityStatus = (typeof IDENTITY_STATUSES)[number]

export interface AccountState {
  readonly sending: boolean
  /** False in the SES sandbox, which sends only to known addresses. */
  readonly production: boolean
  readonly per_day: number | null
  readonly sent_day: number | null
  readonly per_second: number | null
}

export interface Identity {
  readonly status: IdentityStatus
  /** Names of the DKIM records: `<token>._domainkey.<domain>`. */
  readonly tokens: ReadonlyArray<string>
}

export interface Identities {
  readonly declareIdentity: (domain: string) => Effect.Effect<Identity, ProviderFault>
  /** `null` if SES does not know the domain. */
  readonly identityOf: (domain: string) => Effect.Effect<Identity | null, ProviderFault>
  /** Makes SES search again for a domain that it gave up. The domain may get other keys. */
  readonly seekAgain: (domain: string) => Effect.Effect<Identity, ProviderFault>
  readonly deleteIdentity: (domain: string) => Effect.Effect<void, ProviderFault>
  readonly accountState: Effect.Effect<AccountState, ProviderFault>
}

/** The number of tries of calls that may be repeated. */
const ATTEMPTS = 3

/** A call of the provider failed, and may be repeated. `reason`: the name of the error. */
export class ProviderFault extends Data.TaggedError("ProviderFault")<{ readonly reason: string }> {}

const statusIn = (status: string | undefined): IdentityStatus =>
  IDENTITY_STATUSES.find((known) => known === status) ?? "PENDING"

interface Dkim {
  readonly Status?: string | undefined
  readonly Tokens?: ReadonlyArray<string> | undefined
}

const identityIn = ({ Status, Tokens = [] }: Dkim = {}): Identity => ({ status: statusIn(Status), tokens: Tokens })

/** The client lives as long as the process. */
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

  const created = async (EmailIdentity: string, options: { readonly abortSignal: AbortSignal }): Promise<Identity> => {
    const { DkimAttributes } = await client
      .send(new CreateEmailIdentityCommand({ EmailIdentity }), options)
      .catch((error: unknown) => {
        if (error instanceof AlreadyExistsException)
          return client.send(new GetEmailIdentityCommand({ EmailIdentity }), options)
        throw error
      })
    const identity = identityIn(DkimAttributes)
    if (identity.tokens.length === 0) throw new Error("an identity without DKIM tokens")
    return identity
  }
  const deleted = async (EmailIdentity: string, options: { readonly abortSignal: AbortSignal }): Promise<void> => {
    await client.send(new DeleteEmailIdentityCommand({ EmailIdentity }), options).catch((error: unknown) => {
      if (!(error instanceof NotFoundException)) throw error
    })
  }

  return {
    declareIdentity: (domain) => called((options) => created(domain, options)),
    seekAgain: (EmailIdentity) =>
      called(async (options) => {
        const wanted = { EmailIdentity, SigningAttributesOrigin: "AWS_SES" } as const
        const set = await client.send(new PutEmailIdentityDkimSigningAttributesCommand(wanted), options)
        if (set.DkimStatus !== "FAILED") return identityIn({ Status: set.DkimStatus, Tokens: set.DkimTokens })
        // SES does not check a failed identity again, so it is deleted and created anew.
        await deleted(EmailIdentity, options)
        return created(EmailIdentity, options)
      }),
    identityOf: (EmailIdentity) =>
      called(async (options) => {
        try {
          const { DkimAttributes } = await client.send(new GetEmailIdentityCommand({ EmailIdentity }), options)
          return identityIn(DkimAttributes)
        } catch (error) {
          if (error instanceof NotFoundException) return null
          throw error
        }
      }),
    deleteIdentity: (domain) => called((options) => deleted(domain, options)),
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
