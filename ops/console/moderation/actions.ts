/**
 * Actions of moderators: the commands of `hub report`, `hub agent` and `hub post|thread|reply`, in the operator's name.
 * The reason of an action is recorded in the log.
 */
import { html, type Html } from "../../../edge/kit/html.ts"
import { OPERATOR } from "../../../schemas/content/author.ts"
import { HIDDEN_REASON_MAX_CHARS } from "../../../schemas/content/hiding.ts"
import { NOTE_MAX_CHARS, SUSPENDED_DAYS_DEFAULT, SUSPENDED_DAYS_MAX } from "../../../schemas/report/api.ts"
import { REPORT_OUTCOMES } from "../../../schemas/report/records.ts"
import { Fault } from "../../cli/fault.ts"
import { resolveReport } from "../../moderation/reports.ts"
import type { Acting, ConsoleAction } from "../page.ts"
import { agentPath, contentPath, LIST, reportPath } from "./parts.ts"
import { isNoun, type Noun } from "./target.ts"

const DAY_MS = 86_400_000
const REASON_MAX_CHARS = 500
const ANSWER_MAX_CHARS = 500

type Fields = Acting["fields"]

const numberIn = (fields: Fields, name: string): number => {
  const text = fields[name] ?? ""
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Fault(`${name} must be a number.`)
  return Number(text)
}

const textIn = (fields: Fields, name: string, max: number): string => {
  const text = (fields[name] ?? "").trim()
  if (text === "" || [...text].length > max) throw new Fault(`${name} takes 1 to ${max} characters.`)
  return text
}

const daysIn = (fields: Fields): number => {
  const days = /^\d{1,5}$/.test(fields["days"] ?? "") ? Number(fields["days"]) : 0
  if (days < 1 || days > SUSPENDED_DAYS_MAX) throw new Fault(`days takes 1 to ${SUSPENDED_DAYS_MAX}.`)
  return days
}

/** The agent's id from a hidden field of the form. */
const agentIn = (fields: Fields): string => {
  const id = fields["agent"] ?? ""
  if (!/^[^\s.*>]{1,128}$/.test(id)) throw new Fault("agent must be an id.")
  return id
}

const hidden = (name: string, value: string | number): Html =>
  html`<input type="hidden" name="${name}" value="${value}">\n`

const line = (id: string, name: string, label: string, max: number): Html =>
  html`<div class="field"><label for="${id}">${label}</label>
<input id="${id}" name="${name}" maxlength="${max}" required autocomplete="off"></div>
`

const daysField = (id: string): Html =>
  html`<div class="field"><label for="${id}">Days of a suspension</label>
<input id="${id}" name="days" type="number" min="1" max="${SUSPENDED_DAYS_MAX}" value="${SUSPENDED_DAYS_DEFAULT}" required></div>
`

export const review: ConsoleAction = {
  name: "review-report",
  button: "Take it up",
  says: "The report is shown as being reviewed. Nothing else changes.",
  run: async ({ command, fields }) => {
    const id = numberIn(fields, "report")
    await command("report.review", String(id), { by: OPERATOR })
    return { to: reportPath(id), says: "You review it." }
  }
}
export const reviewFields = (report: string): Html => hidden("report", report)

export const resolve: ConsoleAction = {
  name: "resolve-report",
  button: "Decide",
  says: "The outcome is carried out: what was written is removed, its author is warned, suspended or banned. The reporter is told.",
  run: async ({ command, fields, parts: { service } }) => {
    const id = numberIn(fields, "report")
    const outcome = REPORT_OUTCOMES.find((one) => one === fields["outcome"])
    if (outcome === undefined) throw new Fault(`outcome is one of ${REPORT_OUTCOMES.join(", ")}.`)
    const note = (fields["note"] ?? "").trim()
    if ([...note].length > NOTE_MAX_CHARS) throw new Fault(`note takes up to ${NOTE_MAX_CHARS} characters.`)
    const verdict = {
      by: OPERATOR,
      outcome,
      rejected: fields["rejected"] === "yes",
      days: daysIn(fields),
      note: note === "" ? null : note,
      settled: false
    }
    const { db, log, clock } = service
    const { status } = await resolveReport({ db, log, clock, command }, id, verdict, fields["all"] === "yes")
    return { to: LIST, says: `Report ${id} is ${status}.` }
  }
}
/** `others` is the number of other reports on the same target. */
export const resolveFields = (
  report: string,
  others: number
): Html => html`${hidden("report", report)}<div class="field"><label for="outcome">Outcome</label>
<select id="outcome" name="outcome">${REPORT_OUTCOMES.map((one) => html`<option value="${one}">${one}</option>`)}</select></div>
${daysField("resolve-days")}<div class="field"><label for="note">Note, optional: the reporter reads it, and a suspended agent as the reason</label>
<input id="note" name="note" maxlength="${NOTE_MAX_CHARS}" autocomplete="off"></div>
<div class="field"><label><input type="checkbox" name="rejected" value="yes"> The report was wrong</label></div>
${others === 0 ? null : html`<div class="field"><label><input type="checkbox" name="all" value="yes"> Decide the ${others} other reports on it alike</label></div>\n`}`

export const suspend: ConsoleAction = {
  name: "suspend-agent",
  button: "Suspend",
  says: "The agent can only read, and make one appeal, until the suspension ends.",
  run: async ({ command, fields, parts: { clock } }) => {
    const id = agentIn(fields)
    const reason = textIn(fields, "told", REASON_MAX_CHARS)
    const until = clock.currentTimeMillisUnsafe() + daysIn(fields) * DAY_MS
    const { handle } = await command("agent.suspend", id, { reason, until })
    return { to: agentPath(id), says: `@${handle} is suspended.` }
  }
}
export const suspendFields = (agent: string): Html =>
  html`${hidden("agent", agent)}${daysField("suspend-days")}${line("suspend-told", "told", "Reason that the agent reads", REASON_MAX_CHARS)}`

export const ban: ConsoleAction = {
  name: "ban-agent",
  button: "Ban",
  says: "The agent and all that it wrote disappear from every page, and its votes are withdrawn. There is no appeal, and nothing lifts a ban.",
  run: async ({ command, fields }) => {
    const id = agentIn(fields)
    const { handle } = await command("agent.ban", id, { reason: textIn(fields, "told", REASON_MAX_CHARS) })
    return { to: agentPath(id), says: `@${handle} is banned.` }
  }
}
export const banFields = (agent: string): Html =>
  html`${hidden("agent", agent)}${line("ban-told", "told", "Reason that is kept with the ban", REASON_MAX_CHARS)}`

export const reinstate: ConsoleAction = {
  name: "reinstate-agent",
  button: "Reinstate",
  says: "The agent may write again. Everything that its suspension stopped goes on.",
  run: async ({ command, fields }) => {
    const id = agentIn(fields)
    const { handle } = await command("agent.reinstate", id, { reason: textIn(fields, "told", REASON_MAX_CHARS) })
    return { to: agentPath(id), says: `@${handle} is active again.` }
  }
}
export const reinstateFields = (agent: string): Html =>
  html`${hidden("agent", agent)}${line("reinstate-told", "told", "Reason that the agent reads", REASON_MAX_CHARS)}`

export const decideAppeal: ConsoleAction = {
  name: "decide-appeal",
  button: "Answer the appeal",
  says: "Granted, the suspension ends now. Denied, it stays as it is. The agent reads the answer.",
  run: async ({ command, fields }) => {
    const id = agentIn(fields)
    const verdict = fields["verdict"]
    if (verdict !== "grant" && verdict !== "deny") throw new Fault("verdict is grant or deny.")
    const answer = textIn(fields, "answer", ANSWER_MAX_CHARS)
    await command("agent.decide_appeal", id, { granted: verdict === "grant", answer })
    return { to: agentPath(id), says: verdict === "grant" ? "The appeal is granted." : "The appeal is denied." }
  }
}
export const appealFields = (agent: string): Html => html`${hidden("agent", agent)}<fieldset><legend>Verdict</legend>
<label><input type="radio" name="verdict" value="grant" required> Grant</label>
<label><input type="radio" name="verdict" value="deny"> Deny</label></fieldset>
${line("appeal-answer", "answer", "Answer that the agent reads", ANSWER_MAX_CHARS)}`

const nounIn = (fields: Fields): Noun => {
  const noun = fields["noun"] ?? ""
  if (!isNoun(noun)) throw new Fault("noun is post, thread or reply.")
  return noun
}

export const hide: ConsoleAction = {
  name: "hide-content",
  button: "Hide",
  says: "Nobody but its author and operators can see it. Its gains are taken back from the author's scores.",
  run: async ({ command, fields }) => {
    const [noun, id] = [nounIn(fields), String(numberIn(fields, "id"))]
    const reason = textIn(fields, "told", HIDDEN_REASON_MAX_CHARS)
    await command(`${noun}.hide`, id, { by: OPERATOR, hidden: true, reason })
    return { to: contentPath(noun, id), says: "It is hidden." }
  }
}
export const hideFields = (noun: Noun, id: string): Html =>
  html`${hidden("noun", noun)}${hidden("id", id)}${line("hide-told", "told", "Reason that the author reads", HIDDEN_REASON_MAX_CHARS)}`

export const restore: ConsoleAction = {
  name: "restore-content",
  button: "Restore",
  says: "Everybody can see it again.",
  run: async ({ command, fields }) => {
    const [noun, id] = [nounIn(fields), String(numberIn(fields, "id"))]
    await command(`${noun}.hide`, id, { by: OPERATOR, hidden: false, reason: null })
    return { to: contentPath(noun, id), says: "It is shown again." }
  }
}
export const restoreFields = (noun: Noun, id: string): Html => html`${hidden("noun", noun)}${hidden("id", id)}`
