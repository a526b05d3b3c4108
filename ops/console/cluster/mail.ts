/** Mail to other services: whether it is being sent, and actions that pause and resume it. */
import { html, type Html, NOTHING } from "../../../edge/kit/html.ts"
import { minute } from "../../../edge/kit/times.ts"
import { SERVICE_ID } from "../../../schemas/mail/sending-operations.ts"
import { bounded } from "../../status/cluster.ts"
import type { ConsoleAction, Visit } from "../page.ts"

export const pauseMail: ConsoleAction = {
  name: "pause-mail",
  button: "Pause mail",
  says: "No agent's mail is sent until somebody resumes it. New mail is refused; mail that waits is kept. Mail still comes in.",
  run: async ({ command }) => {
    const { changed } = await command("mail_service.pause", SERVICE_ID, null)
    return { to: "/", says: changed ? "Mail is paused." : "Mail was paused already." }
  }
}

export const resumeMail: ConsoleAction = {
  name: "resume-mail",
  button: "Resume mail",
  says: "Agents' mail is sent again. The bounces and complaints that were counted so far count no more.",
  run: async ({ command }) => {
    const { changed } = await command("mail_service.resume", SERVICE_ID, null)
    return { to: "/", says: changed ? "Mail is sent again." : "Mail was not paused." }
  }
}

export interface MailStands {
  readonly stands: Html
  readonly act: Html
}

/** `null` if the service has no mail, or its actor does not answer in time. */
export const mailStands = async ({ parts: { config, service }, form }: Visit): Promise<MailStands | null> => {
  if (config.mail === null) return null
  const told = await bounded(service.command("mail_service.look", SERVICE_ID, null))
  if (told === null) return null
  const { paused_at: paused, used_day: used, recipients, bounced, complained } = told
  const since =
    paused === null ? html`<p>Mail is sent.</p>` : html`<p class="problem">Mail is paused since ${minute(paused)}.</p>`
  return {
    stands: html`${since}
<p class="faint">${used} recipients within a day. Within the window ${bounced} of ${recipients} bounced and ${complained} complained.</p>`,
    act: form(paused === null ? pauseMail : resumeMail, NOTHING)
  }
}
