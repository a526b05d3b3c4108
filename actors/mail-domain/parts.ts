/** The parts that the kinds `mail_domain` and `mail_domain_holder` share. */
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { type MailParts, DnsQuestions, mailDisabled } from "../mail/noun.ts"
import type { Sealer } from "../log/seal.ts"
import { Looks } from "./checks.ts"
import { type DomainProvider, providerOf } from "./provider.ts"
import { subjects } from "../../schemas/subjects.ts"

export interface DomainParts {
  readonly own: string
  readonly sealer: Sealer
  readonly dns: DnsQuestions
  readonly provider: DomainProvider
  readonly looks: Looks
}

/** `null` if the service has no mail. */
export const domainParts = ({ mail, config }: Pick<MailParts, "mail" | "config">): DomainParts | null =>
  mail === null || config.mail === null
    ? null
    : {
        own: config.mail.domain,
        sealer: mail.domains,
        dns: new DnsQuestions(config.mail, config.limits.service.mail),
        provider: providerOf(config.mail, config.limits.service.mail),
        looks: new Looks(config.limits.service.mail.domain_checks_max)
      }

export const withMail = (parts: DomainParts | null): Effect.Effect<DomainParts, Refusal> =>
  parts === null ? Effect.fail(mailDisabled) : Effect.succeed(parts)

const notLooked = unavailable("Mail domains cannot be looked up at the moment. It is safe to try again.")

/** The sequence of the last commit of the agent's `mail_domain_holder`; 0 if there is none. */
export const holderSeq = ({ log }: Pick<MailParts, "log">, agent: string): Effect.Effect<number, Refusal> =>
  Effect.tryPromise({
    try: async () => (await log.last(subjects.event("mail_domain_holder", agent)))?.seq ?? 0,
    catch: () => notLooked
  })
