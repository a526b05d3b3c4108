/**
 * `hub mail status|pause|resume|reinstate|suppressions|lift`: the state of agents' mail, and an operator's actions on
 * it.
 */
import { postmasterKeys } from "../../actors/mail/inbound/postmaster.ts"
import { SERVICE_ID } from "../../schemas/mail/sending-operations.ts"
import type { Arguments } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { hubIdOfReference } from "./references.ts"

const PER_PAGE = 100

export const sendingStatus = async (service: Service, { values }: Arguments): Promise<unknown> => {
  const sending = await service.command("mail_service.look", SERVICE_ID, null)
  const stands = { ...sending, postmaster: (await postmasterKeys(service.manager)).length }
  if (values.json === true) return stands
  const { paused_at, used_day, recipients, bounced, complained, postmaster } = stands
  return [
    paused_at === null ? "mail is sent" : `mail is not sent since ${paused_at}: hub mail resume`,
    `${used_day} recipients within a day`,
    `of ${recipients} recipients within the window ${bounced} bounced and ${complained} complained`,
    `${postmaster} messages to postmaster@ are kept: hub mail postmaster`
  ].join("\n")
}

export const pauseSending = async (service: Service): Promise<unknown> => {
  const { changed } = await service.command("mail_service.pause", SERVICE_ID, null)
  return changed ? "no mail is sent until hub mail resume" : "mail was paused already"
}

export const resumeSending = async (service: Service): Promise<unknown> => {
  const { changed } = await service.command("mail_service.resume", SERVICE_ID, null)
  return changed ? "mail is sent again; what was counted counts no more" : "mail was not paused"
}

export const reinstateSender = async (service: Service, { positionals }: Arguments): Promise<unknown> => {
  const [reference = ""] = positionals
  const agent = await hubIdOfReference(service, reference)
  const { changed } = await service.command("mailer.reinstate", agent, null)
  return changed ? `${reference} may send again` : `${reference} was not suspended`
}

export const suppressions = async (service: Service, { values, positionals }: Arguments): Promise<unknown> => {
  const page = Number(positionals[0] ?? 1)
  if (!Number.isInteger(page) || page < 1) throw new Fault("a page is a number from 1")
  const found = await service.command("mail_service.suppressed", SERVICE_ID, { page, per_page: PER_PAGE })
  if (values.json === true) return found
  const lines = found.items.map(({ address, reason, since }) => `${since} ${reason} ${address}`)
  return [...lines, `${found.total} addresses that are not written to`].join("\n")
}

export const liftSuppression = async (service: Service, { positionals }: Arguments): Promise<unknown> => {
  const [address = ""] = positionals
  await service.command("mail_service.lift", SERVICE_ID, { address })
  return `${address} may be written to again`
}
