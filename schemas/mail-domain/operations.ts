/**
 * Kind `mail_domain`, whose id is `domainId`: a domain and its owner. Kind `mail_domain_holder`, whose id is the hub id
 * of an agent: the agent's domain. The service's own domain has an actor of kind `mail_domain` too, but no holder.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { DnsRecord, MailDomain } from "./records.ts"

const ByAgent = Schema.Struct({ agent: Schema.String })
const OfDomain = Schema.Struct({ domain: Schema.String })

export const holderOperations = operationsOf("mail_domain_holder", {
  "mail_domain_holder.look": op({
    input: Nothing,
    output: Schema.Struct({ domain: Schema.NullOr(Schema.String) }),
    askedBy: ["edge"]
  }),
  /**
   * Refused `email_domain_exists`, `email_domain_limit`, `email_domain_declarations`, `email_domain_taken`,
   * `email_domain_reserved`.
   */
  "mail_domain_holder.declare": op({ input: OfDomain, output: Nothing, askedBy: ["edge"] }),
  /**
   * `claim` is the number of the claim that ends. The mailboxes of this claim are closed next. Refused
   * `email_domain_unknown`.
   */
  "mail_domain_holder.release": op({
    input: OfDomain,
    output: Schema.Struct({ claim: Schema.Int }),
    askedBy: ["edge"]
  }),
  /** The agent's account has ended. */
  "mail_domain_holder.end": op({ input: Nothing, output: Nothing, askedBy: [] })
})

export const domainOperations = operationsOf("mail_domain", {
  /** The domain as its agent sees it. Refused `email_domain_unknown` for any other agent. */
  "mail_domain.look": op({ input: ByAgent, output: MailDomain, askedBy: ["edge"] }),
  /** Looks up every DNS record of the domain now. Refused `email_domain_unknown`. */
  "mail_domain.verify": op({ input: ByAgent, output: Nothing, askedBy: ["edge"] }),
  /** `agent` is `null` for the service's own domain. Refused `not_found` if nobody has declared the domain. */
  "mail_domain.ready": op({
    input: Nothing,
    output: Schema.Struct({
      agent: Schema.NullOr(Schema.String),
      ready: Schema.Boolean,
      /** Increases with each declaration. */
      claim: Schema.Int
    }),
    askedBy: ["edge", "mail"]
  }),
  /** The private key that signs the domain's mail, as PKCS#8 in PEM. Refused `not_found`, `email_domain_not_ready`. */
  "mail_domain.signing": op({
    input: Nothing,
    output: Schema.Struct({ selector: Schema.String, private_key: Schema.String }),
    askedBy: ["mail"]
  }),
  /** The data with which another actor can write to this actor in the commit of its own decision. */
  "mail_domain.standing": op({
    input: Nothing,
    output: Schema.Struct({
      seq: Schema.Int,
      claim: Schema.Int,
      held: Schema.NullOr(
        Schema.Struct({
          agent: Schema.NullOr(Schema.String),
          active: Schema.Boolean,
          /** Unix ms, for a claim that is not proven yet. */
          claim_until: Schema.NullOr(Schema.Number)
        })
      )
    }),
    askedBy: []
  }),
  /** The records of the service's own domain, for its operator. */
  "mail_domain.records": op({ input: Nothing, output: Schema.Array(DnsRecord), askedBy: [] }),
  /** The service's own domain; `null` if there is no mail. Any actor of the kind may be asked. */
  "mail_domain.default": op({
    input: Nothing,
    output: Schema.Struct({ domain: Schema.NullOr(Schema.String) }),
    askedBy: []
  }),
  "mail_domain.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})
