/** A post, thread or reply in context, which may be hidden or restored. */
import { html, type Html } from "../../../edge/kit/html.ts"
import { bounded } from "../../status/cluster.ts"
import type { ConsolePage, Visit } from "../page.ts"
import { hide, hideFields, restore, restoreFields } from "./actions.ts"
import { content, LIST, standing } from "./parts.ts"
import { isNoun, writtenAt } from "./target.ts"

const contentView = async ({ params, parts: { service }, form }: Visit): Promise<Html | null> => {
  const { noun = "", id = "" } = params
  if (!isNoun(noun) || !/^[1-9]\d{0,14}$/.test(id)) return null
  const written = await writtenAt(service.db, noun, id)
  if (written === null) return null
  const author = await bounded(service.command("agent.inspect", written.author, null))
  const act = written.hidden === null ? form(hide, hideFields(noun, id)) : form(restore, restoreFields(noun, id))
  return html`<h1>${noun} ${id}</h1>
<p><a href="${LIST}" data-back>All that waits</a> <span class="faint keys"><kbd>u</kbd> back</span></p>
${content(written)}
<section><h2>Its author</h2>
${standing(author)}</section>
${written.deleted ? null : html`<section><h2>Act</h2>\n<div class="panel">${act}</div></section>`}`
}

export const contentPage: ConsolePage = {
  path: `${LIST}/content/:noun/:id`,
  title: "Content",
  listed: false,
  who: "operator",
  script: "moderation",
  render: contentView,
  actions: [hide, restore]
}
