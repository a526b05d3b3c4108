/**
 * `hub mail domain`: shows the DNS records of the service's own domain. The command makes the key that signs mail if
 * there is none.
 */
import type { DnsRecord } from "../../schemas/mail-domain/records.ts"
import { domainId } from "../../schemas/mail-domain/id.ts"
import type { Arguments } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"

/** `mail_domain.default` gives the same answer at every id of its kind. */
const ANY = "service"

/** A longer text in a DNS record is split into pieces (RFC 1035). */
const PIECE = /.{1,255}/g

const textOf = (value: string): string => (value.match(PIECE) ?? []).map((piece) => `"${piece}"`).join(" ")

const line = ({ type, name, value, priority, required }: DnsRecord): string =>
  `${name}. ${type} ${type === "TXT" ? textOf(value) : `${priority === undefined ? "" : `${priority} `}${value}.`}${
    required ? "" : "   ; recommended"
  }`

export const serviceDomain = async (service: Service, { values }: Arguments): Promise<unknown> => {
  const { domain } = await service.command("mail_domain.default", ANY, null)
  if (domain === null) throw new Fault("this service has no mail: set HUB_MAIL_PROVIDER and HUB_MAIL_DOMAIN")
  const records = await service.command("mail_domain.records", domainId(domain), null)
  return values.json === true ? { domain, records } : records.map(line).join("\n")
}
