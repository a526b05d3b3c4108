/** The provider that sends and receives mail for a domain, as far as the owner's DNS records depend on it. */
import { Effect } from "effect"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { ProviderBounds, Identities, Identity, ProviderFault } from "../mail/noun.ts"
import type { DnsRecord } from "../../schemas/mail-domain/records.ts"
import type { MailSettings, SesMail, SmtpMail } from "../../schemas/mail/settings.ts"

export type ProviderStatus = "PENDING" | "TEMPORARY_FAILURE" | "NOT_STARTED" | "FAILED" | "SUCCESS"

interface ProviderLook {
  readonly status: ProviderStatus
  /** The records that the provider needs, from `declare`; empty if it needs none. */
  readonly records: ReadonlyArray<DnsRecord>
}

/** Public half of the key that we sign by: SubjectPublicKeyInfo, DER in base64. */
interface DkimPublic {
  readonly selector: string
  readonly public_key: string
}

export interface DomainProvider {
  /**
   * Declares a domain at the provider, and returns the records that are needed besides the proof of the claim. Calling
   * it again changes nothing.
   */
  readonly declare: (domain: string, dkim: DkimPublic) => Effect.Effect<ReadonlyArray<DnsRecord>, Refusal>
  /** `null` if the provider makes no check of its own. */
  readonly check: (domain: string) => Effect.Effect<ProviderLook | null, Refusal>
  /** Makes the provider check a domain again that it gave up although its records exist. */
  readonly again: (domain: string) => Effect.Effect<ProviderLook | null, Refusal>
  readonly forget: (domain: string) => Effect.Effect<void, Refusal>
}

const MX_PRIORITY = 10

/**
 * This service speaks SMTP itself: mail arrives at our host, is sent by hosts that the service's own SPF record allows,
 * and has our DKIM signature.
 */
export const smtpProvider = ({ domain: ours, host }: Pick<SmtpMail, "domain" | "host">): DomainProvider => ({
  declare: (domain, { selector, public_key }) =>
    Effect.succeed([
      { type: "MX", name: domain, value: host, priority: MX_PRIORITY, required: true, purpose: "mx" },
      {
        type: "TXT",
        name: domain,
        value: domain === ours ? "v=spf1 mx ~all" : `v=spf1 include:${ours} ~all`,
        required: true,
        purpose: "spf"
      },
      {
        type: "TXT",
        name: `${selector}._domainkey.${domain}`,
        value: `v=DKIM1; k=rsa; p=${public_key}`,
        required: true,
        purpose: "dkim"
      },
      {
        type: "TXT",
        name: `_dmarc.${domain}`,
        value: "v=DMARC1; p=quarantine",
        required: false,
        purpose: "dmarc"
      }
    ]),
  check: () => Effect.succeed(null),
  again: () => Effect.succeed(null),
  forget: () => Effect.void
})

const notAnswered = refusal("email_provider_error", "The provider of mail did not answer as it should.")

const sesRecords = (region: string, domain: string, tokens: ReadonlyArray<string>): ReadonlyArray<DnsRecord> => [
  {
    type: "MX",
    name: domain,
    value: `inbound-smtp.${region}.amazonaws.com`,
    priority: MX_PRIORITY,
    required: true,
    purpose: "mx"
  },
  { type: "TXT", name: domain, value: "v=spf1 include:amazonses.com ~all", required: true, purpose: "spf" },
  ...tokens.map((token): DnsRecord => ({
    type: "CNAME",
    name: `${token}._domainkey.${domain}`,
    value: `${token}.dkim.amazonses.com`,
    required: true,
    purpose: "dkim"
  })),
  { type: "TXT", name: `_dmarc.${domain}`, value: "v=DMARC1; p=quarantine", required: false, purpose: "dmarc" }
]

/** SES receives, sends and signs. It signs with its own keys, and names them by tokens. */
const sesProvider = ({ region }: SesMail, bounds: ProviderBounds): DomainProvider => {
  let known: Identities | null = null
  // The SDK is loaded only in deployments that use SES.
  const identities = Effect.promise(async () => {
    known ??= (await import("../mail/ses/identities.ts")).identitiesFor(region, bounds)
    return known
  })
  const asked = <A>(ask: (all: Identities) => Effect.Effect<A, ProviderFault>): Effect.Effect<A, Refusal> =>
    Effect.mapError(Effect.flatMap(identities, ask), () => notAnswered)
  const looked = (
    domain: string,
    ask: (all: Identities) => Effect.Effect<Identity, ProviderFault>
  ): Effect.Effect<ProviderLook, Refusal> =>
    Effect.map(asked(ask), ({ status, tokens }) => ({
      status,
      records: tokens.length === 0 ? [] : sesRecords(region, domain, tokens)
    }))
  return {
    declare: (domain) =>
      Effect.map(
        looked(domain, (all) => all.declareIdentity(domain)),
        ({ records }) => records
      ),
    // If SES has forgotten the domain meanwhile, it is declared again, and may get other tokens.
    check: (domain) =>
      looked(domain, (all) =>
        Effect.flatMap(all.identityOf(domain), (identity) =>
          identity === null ? all.declareIdentity(domain) : Effect.succeed(identity)
        )
      ),
    again: (domain) => looked(domain, (all) => all.seekAgain(domain)),
    forget: (domain) => asked((all) => all.deleteIdentity(domain))
  }
}

export const providerOf = (settings: MailSettings, bounds: ProviderBounds): DomainProvider =>
  settings.provider === "ses" ? sesProvider(settings, bounds) : smtpProvider(settings)
