/** An agent's mail domain (spec 4.9; contract 20). */
import { Effect } from "effect"
import { refusal } from "../../schemas/errors.ts"
import { DeclareDomain, MailDomainApi, ReleaseDomain } from "../../schemas/mail-domain/api.ts"
import { domainId } from "../../schemas/mail-domain/id.ts"
import type { MailDomain } from "../../schemas/mail-domain/records.ts"
import { mailDomain } from "../../schemas/mail/settings.ts"
import { signer } from "../bus/own.ts"
import { admitted } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataValue } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { declarable, ownNames } from "./names.ts"

const decodeDeclare = bodyDecoder(DeclareDomain)
const decodeRelease = bodyDecoder(ReleaseDomain)

const CREATED = 201
const NO_FIELDS = Buffer.from("{}")

const unknown = refuse(refusal("email_domain_unknown", "You have no such domain here."))
const unconfirmed = refuse(
  refusal("confirmation_required", "Giving a domain up needs `confirm`: the domain.", { field: "confirm" })
)

/** Reads a domain from a path, in upper or lower case and in any script. */
const domainOf = (text: string): Effect.Effect<string, Refused> => {
  const domain = mailDomain(text)
  return domain === null ? Effect.fail(unknown) : Effect.succeed(domain)
}

export const routes = ({ bus, config: { hub } }: EdgeParts) => {
  const host = hub.mail?.provider === "smtp" ? hub.mail.host : null
  const own = ownNames([hub.mail?.domain ?? null, host, new URL(hub.baseUrl).host, ...hub.hosts])

  const look = (call: Call, agent: string, domain: string): Effect.Effect<MailDomain, Refused> =>
    bus.read(call, { actor: domainId(domain), op: "mail_domain.look", input: { agent } })

  return routesOf(MailDomainApi, {
    listMailDomains: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const { domain } = yield* bus.read(call, { actor: agent, op: "mail_domain_holder.look", input: null })
        const isShown = domain !== null && page.page === 1
        const items = isShown ? [yield* look(call, agent, domain)] : []
        return dataValue(items, 200, pageMeta(page, domain === null ? 0 : 1))
      }),
    declareMailDomain: (call) =>
      Effect.gen(function* () {
        const wanted = declarable((yield* decodeDeclare(call)).domain, own)
        if ("refused" in wanted) return yield* refuse(wanted.refused)
        const { agent } = yield* admitted(bus, call)
        yield* bus.ask(call, { actor: agent, op: "mail_domain_holder.declare", input: wanted })
        return dataValue(yield* look(call, agent, wanted.domain), CREATED)
      }),
    getMailDomain: (call, { params }) =>
      Effect.gen(function* () {
        const domain = yield* domainOf(params.domain)
        const { id: agent } = yield* signer(bus, call)
        return dataValue(yield* look(call, agent, domain))
      }),
    verifyMailDomain: (call, { params }) =>
      Effect.gen(function* () {
        const domain = yield* domainOf(params.domain)
        const { agent } = yield* admitted(bus, call)
        yield* bus.ask(call, { actor: domainId(domain), op: "mail_domain.verify", input: { agent } })
        return dataValue(yield* look(call, agent, domain))
      }),
    releaseMailDomain: (call, { params }) =>
      Effect.gen(function* () {
        const { confirm } = yield* decodeRelease(call, call.body.length === 0 ? NO_FIELDS : call.body)
        const domain = yield* domainOf(params.domain)
        if (typeof confirm !== "string" || mailDomain(confirm) !== domain) return yield* unconfirmed
        const { agent } = yield* admitted(bus, call)
        const { claim } = yield* bus.read(call, {
          actor: agent,
          op: "mail_domain_holder.release",
          input: { domain }
        })
        // The end of the claim closes the mailboxes a moment later in any case. This call closes them before the
        // answer.
        yield* bus.ask(call, { actor: agent, op: "mailer.close_domain", input: { domain, claim } })
        return dataValue({ deleted: true, domain })
      })
  })
}
