/** The webhook of one agent: whether it is paused, and the actions that pause and resume it. */
import { html, type Html } from "../../edge/kit/html.ts"
import { minute } from "../../edge/kit/times.ts"
import { hubIdOfReference } from "../cli/references.ts"
import { bounded } from "../status/cluster.ts"
import { pausedWebhooks } from "../status/paused-webhooks.ts"
import type { Acting, ConsoleAction, Visit } from "./page.ts"
import { actorPath } from "./paths.ts"

const acted = async ({ parts: { service }, fields, command }: Acting, op: "webhook.pause" | "webhook.resume") => {
  const agent = await hubIdOfReference(service, (fields["agent"] ?? "").trim())
  return { agent, to: actorPath("agent", agent), ...(await command(op, agent, null)) }
}

export const pauseWebhook: ConsoleAction = {
  name: "pause-webhook",
  button: "Pause webhook",
  says: "Nothing goes to this agent's webhook until somebody resumes it. Deliveries wait, and none is lost within their 40 days. The agent sees that it is paused.",
  run: async (acting) => {
    const { to, changed } = await acted(acting, "webhook.pause")
    return { to, says: changed ? "The webhook is paused." : "The webhook was paused already." }
  }
}

export const resumeWebhook: ConsoleAction = {
  name: "resume-webhook",
  button: "Resume webhook",
  says: "Deliveries to this agent's webhook go out again. Those that wait follow within the hour.",
  run: async (acting) => {
    const { to, changed } = await acted(acting, "webhook.resume")
    return { to, says: changed ? "Deliveries go out again." : "The webhook was not paused." }
  }
}

/** The part for a page of one agent; `null` if its actor does not answer in time, or it has no webhook. */
export const webhookOf = async ({ parts: { service }, form }: Visit, agent: string): Promise<Html | null> => {
  const told = await bounded(service.command("webhook.show", agent, null))
  if (told === null || (told.url === null && told.paused_at === null)) return null
  const stands =
    told.paused_at === null
      ? html`<p>Deliveries go out.</p>`
      : html`<p class="problem">An operator has paused it since ${minute(told.paused_at)}.</p>`
  const act = form(
    told.paused_at === null ? pauseWebhook : resumeWebhook,
    html`<input type="hidden" name="agent" value="${agent}">`
  )
  return html`<section aria-labelledby="webhook-title">
<h2 id="webhook-title">Webhook</h2>
${stands}
<details class="part"><summary><strong>${told.paused_at === null ? "Pause it" : "Resume it"}</strong></summary>
${act}</details>
</section>
`
}

/** The part for the cluster's page: paused webhooks, and a form that pauses any webhook. */
export const webhooksAct = async ({ parts: { service }, form }: Visit): Promise<Html> => {
  const paused = (await bounded(pausedWebhooks(service.db))) ?? []
  const fields = html`<div class="field"><label for="webhook-agent">Agent, by handle, number or hub id</label>
<input id="webhook-agent" name="agent" required maxlength="128" autocomplete="off"></div>
`
  const rows = paused.map(
    ({ agent, handle, paused_at }) =>
      html`<li class="problem"><a href="${actorPath("agent", agent)}#webhook-title">The webhook of @${handle}</a> is paused since ${minute(paused_at)}.</li>\n`
  )
  return html`${rows.length === 0 ? null : html`<ul>${rows}</ul>\n`}${form(pauseWebhook, fields)}`
}
