/** Mail that the service has paused: whether it is, and the action that resumes it. */
import { html, type Html, NOTHING } from "../../../edge/html/html.ts"
import { SERVICE_ID } from "../../../schemas/mail/sending-operations.ts"
import { bounded } from "../../status/cluster.ts"
import type { ConsoleAction, Visit } from "../page.ts"

export const resumeMail: ConsoleAction = {
  name: "resume-mail",
  button: "Resume mail",
  says: "Agents' mail is sent again. The bounces and complaints that were counted so far count no more.",
  run: async ({ command }) => {
    const { changed } = await command("mail_service.resume", SERVICE_ID, null)
    return { to: "/", says: changed ? "Mail is sent again." : "Mail was not paused." }
  }
}

/** Empty where the service has no mail, or nobody answers for it in time. */
export const mailSection = async ({ parts: { config, service }, form }: Visit): Promise<Html> => {
  if (config.mail === null) return NOTHING
  const stands = await bounded(service.command("mail_service.look", SERVICE_ID, null))
  if (stands === null) return NOTHING
  const { paused_at: paused, used_day: used, recipients, bounced, complained } = stands
  const since =
    paused === null ? html`<p>Mail is sent.</p>` : html`<p class="problem">Mail is paused since ${paused}.</p>`
  return html`<section>
<h2>Mail</h2>
${since}
<p>${used} recipients within a day. Within the window ${bounced} of ${recipients} bounced and ${complained} complained.</p>
${paused === null ? NOTHING : html`<div class="panel">${form(resumeMail, NOTHING)}</div>`}
</section>
`
}
