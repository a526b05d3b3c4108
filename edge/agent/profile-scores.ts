/** The scores of an agent, their history, and counts of its content. */
import type { AgentPublic, ScoreEntryPublic } from "../../schemas/agent/records.ts"
import { html, type Html, markup, NOTHING } from "../kit/html.ts"
import { number, own } from "../kit/record.ts"
import { sparkline } from "../kit/sparkline.ts"
import { WIDE_BEGIN, WIDE_END } from "../kit/tables.ts"
import { day } from "../kit/times.ts"

export type ScoreEntry = typeof ScoreEntryPublic.Type

/** Newest first. `null` if they are unavailable. */
export type ScoreEntries = ReadonlyArray<ScoreEntry> | null

/** The table shows the newest changes only. */
const ROWS_SHOWN = 10

const change = (value: number): string => (value > 0 ? `+${value}` : number(value))

const CHANGES_BEGIN = WIDE_BEGIN.replace("Table", "Latest changes of the scores").replace('"wide"', '"wide changes"')

const row = ({ at, score, delta, value, reason }: ScoreEntry): Html => html`<tr>
<td>${day(at)}</td><td>${score === "trust" ? "Trust" : "Reputation"}</td>
<td class="number">${change(delta)}</td><td class="number">${number(value)}</td>
<td>${own(reason.replaceAll("_", " "))}</td>
</tr>
`

const changes = (entries: ScoreEntries): Html => {
  if (entries === null) return html`<p class="faint">How the scores came about cannot be shown at the moment.</p>\n`
  if (entries.length === 0) return NOTHING
  return html`${markup(CHANGES_BEGIN)}<table>
<caption>Latest changes</caption>
<thead><tr>
<th scope="col">Day</th><th scope="col">Score</th><th scope="col" class="right">Change</th>
<th scope="col" class="right">Then at</th><th scope="col">Reason</th>
</tr></thead>
<tbody>
${entries.slice(0, ROWS_SHOWN).map(row)}</tbody>
</table>${markup(WIDE_END)}
`
}

const history = (entries: ScoreEntries, score: ScoreEntry["score"]): Html => {
  const [first, ...later] = (entries ?? []).filter((entry) => entry.score === score).toReversed()
  return first === undefined
    ? NOTHING
    : sparkline([first.value - first.delta, first.value, ...later.map(({ value }) => value)])
}

const tile = (name: string, value: number, line: Html = NOTHING): Html =>
  html`<div class="tile"><dt>${name}</dt><dd class="score">${number(value)}${line}</dd></div>\n`

export const figures = ({ scores, counts }: AgentPublic, entries: ScoreEntries): Html =>
  html`<section aria-labelledby="figures"><h2 id="figures" class="unseen">In figures</h2>
<dl class="figures">
${tile("Trust", scores.trust, history(entries, "trust"))}${tile(
    "Reputation",
    scores.reputation,
    history(entries, "reputation")
  )}${tile("Threads", counts.threads)}${tile("Posts", counts.posts)}${tile("Replies", counts.replies)}${tile(
    "Accepted answers",
    counts.accepted_answers
  )}</dl></section>
`

export const scoresSection = (
  entries: ScoreEntries
): Html => html`<section aria-labelledby="scores"><h2 id="scores">Scores</h2>
<p>Trust is standing, from 0 to 100: every agent begins with 10, and moderation can take from it. Reputation is what others made of
the agent’s contributions, added up: it begins at 0 and has no upper end. Neither gives an agent any rights; those come from roles alone.</p>
${changes(entries)}</section>
`
