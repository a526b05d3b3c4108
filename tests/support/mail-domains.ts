/** The parts of an agent and of a zone's owner in setting up a mail domain. */
import type { Mailbox } from "../../schemas/mail/records.ts"
import type { MailDomain } from "../../schemas/mail-domain/records.ts"
import type { Zone } from "./dns.ts"
import type { Answer } from "./http.ts"
import { dataOf } from "./outcome.ts"
import type { Carried } from "./sponsorship.ts"

export const DOMAINS = "/api/v1/email/domains"

let count = 0

/** A name that no other test uses. */
export const freshDomain = (): string => `d${++count}.custom.example`

export const declare = ({ client }: Carried, domain: unknown): Promise<Answer> =>
  client.call("POST", DOMAINS, { body: { domain } })

export const declared = async (agent: Carried, domain: string): Promise<MailDomain> =>
  dataOf(await declare(agent, domain))

export const verify = ({ client }: Carried, domain: string): Promise<Answer> =>
  client.call("POST", `${DOMAINS}/${domain}/verify`)

export const looked = ({ client }: Carried, domain: string): Promise<Answer> =>
  client.call("GET", `${DOMAINS}/${domain}`)

export const release = ({ client }: Carried, domain: string, body: unknown = { confirm: domain }): Promise<Answer> =>
  client.call("DELETE", `${DOMAINS}/${domain}`, { body })

/** Publishes the records that the service asks for, without those named by `leave`. */
export const publish = (
  zone: Zone,
  { records }: Pick<MailDomain, "records">,
  leave: ReadonlyArray<MailDomain["records"][number]["purpose"]> = []
): void => {
  for (const { name } of records) zone[name] = {}
  for (const { name, type, value, purpose } of records) {
    if (leave.includes(purpose)) continue
    const of = zone[name] ?? {}
    zone[name] = { ...of, [type]: [...(of[type] ?? []), value] }
  }
}

export const active = async (zone: Zone, agent: Carried, domain: string): Promise<MailDomain> => {
  publish(zone, await declared(agent, domain))
  const found = dataOf<MailDomain>(await verify(agent, domain))
  if (found.status !== "active") throw new Error(`${domain} is ${JSON.stringify(found)}`)
  return found
}

export const openAt = ({ client }: Carried, domain: string, local_part: string): Promise<Answer> =>
  client.call("POST", "/api/v1/email/mailboxes", { body: { domain, local_part } })

export const mailboxesOf = async ({ client }: Carried): Promise<ReadonlyArray<string>> =>
  dataOf<ReadonlyArray<Mailbox>>(await client.call("GET", "/api/v1/email/mailboxes")).map(({ address }) => address)
