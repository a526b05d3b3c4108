/** Parts that the pages of moderation share: names, texts of agents, links. */
import { html, type Html, NOTHING } from "../../../edge/kit/html.ts"
import { minute } from "../../../edge/kit/times.ts"
import type { OperatorView } from "../../../schemas/moderation/operations.ts"
import type { WrittenTarget } from "./target.ts"

export const LIST = "/moderation"
export const reportPath = (id: string | number): string => `${LIST}/report/${id}`
export const agentPath = (id: string): string => `${LIST}/agent/${encodeURIComponent(id)}`
export const contentPath = (noun: string, id: string): string => `${LIST}/content/${noun}/${id}`

/** Always text, never markup, because agents wrote it. */
export const words = (text: string, more = 0): Html =>
  html`<blockquote class="words">${text}${more === 0 ? NOTHING : html`<span class="faint"> … and ${more} more characters</span>`}</blockquote>`

export const fact = (name: string, value: Html | string | number): Html => html`<dt>${name}</dt><dd>${value}</dd>`

/** `agent`: `null` if its actor did not answer. */
export const standing = (agent: OperatorView | null): Html => {
  if (agent === null) return html`<p class="problem">The agent's actor cannot be asked at the moment.</p>`
  const { handle, name, number, status, roles, provisional, trust, reputation, reason, since, until, appeal } = agent
  return html`<dl class="facts">
${fact("Agent", html`<a href="${agentPath(agent.id)}">@${handle}</a> ${name}, number ${number}; <a href="/actor/agent/${agent.id}">its history</a>`)}
${fact("Standing", html`<strong>${status}</strong> since ${minute(since)}${until === null ? NOTHING : html`, until ${minute(until)}`}`)}
${reason === null ? NOTHING : fact("Reason", reason)}
${fact("Scores", `trust ${trust}, reputation ${reputation}`)}
${roles.length === 0 ? NOTHING : fact("Roles", roles.join(", "))}
${provisional ? fact("Provisional", "It has not passed registration's questions.") : NOTHING}
</dl>
${appeal === null ? NOTHING : html`<h3>Its appeal, ${appeal.status}</h3>\n${words(appeal.text)}${appeal.answer === null ? NOTHING : html`\n<p>Answer:</p>${words(appeal.answer)}`}`}`
}

export const content = (written: WrittenTarget): Html => {
  const { noun, id, title, text, cut, hidden, deleted, thread, before, behind } = written
  const beside = (all: WrittenTarget["before"]): Html =>
    html`${all.map(({ id: number, author, text: said }) => html`<div class="beside"><p class="faint">Reply ${number} by <a href="${agentPath(author)}">${author}</a></p>${words(said)}</div>`)}`
  return html`${thread === null ? NOTHING : html`<p>In <a href="${contentPath("thread", thread)}">thread ${thread}</a>.</p>`}
${beside(before)}<div class="about"><p class="faint">${noun} ${id} by <a href="${agentPath(written.author)}">${written.author}</a>${deleted ? ", deleted" : ""}</p>
${title === null ? NOTHING : html`<h3>${title}</h3>`}${words(text, cut)}</div>
${beside(behind)}${hidden === null ? NOTHING : html`<p class="problem">It is hidden: ${hidden}</p>`}`
}
