/**
 * The first page: a verdict on the cluster, its figures now and within the last hour, its shards as a map, and an
 * operator's actions. It also has the details of `hub status --all`. Live.
 */
import { html, type Html, NOTHING } from "../../../edge/kit/html.ts"
import type { ConsolePage, Visit } from "../page.ts"
import { pauseWebhook, resumeWebhook, webhooksAct } from "../webhook.ts"
import { drainFields, drainNode } from "./drain.ts"
import { mailStands, pauseMail, resumeMail } from "./mail.ts"
import { clusterSource } from "./source.ts"
import { rebuildFields, rebuildModel, verifyAll, verifyFields } from "./work.ts"

/**
 * An empty table, which script/cluster.js fills. A column whose title ends in `#` holds numbers. `name` is the id of
 * its heading.
 */
const table = (id: string, name: string, columns: ReadonlyArray<string>): Html => {
  const heads = columns.map((column) =>
    column.endsWith("#")
      ? html`<th scope="col" class="number">${column.slice(0, -1)}</th>`
      : html`<th scope="col">${column}</th>`
  )
  return html`<div class="wide" role="region" tabindex="0" aria-labelledby="${name}"><table class="told" id="${id}">
<thead><tr>${heads}</tr></thead>
<tbody></tbody>
</table></div>
`
}

/** A row of one line, with details that can be opened. A script opens it if something is wrong. */
const part = (id: string, title: string, columns: ReadonlyArray<string>): Html =>
  html`<details class="part" id="${id}-part"><summary><strong id="${id}-title">${title}</strong> <span class="faint" id="${id}-line"></span></summary>
${table(id, `${id}-title`, columns)}</details>
`

const TILES: ReadonlyArray<readonly [id: string, title: string]> = [
  ["nodes", "Actor nodes"],
  ["edges", "Edges"],
  ["requests", "Requests"],
  ["commits", "Commits"],
  ["p99", "Latency, p99"],
  ["refusals", "Refusals"],
  ["models", "Read models"],
  ["log", "Log"]
]

const tiles = html`<dl class="numbers">${TILES.map(
  ([id, title]) =>
    html`<div class="number-tile" id="tile-${id}"><dt>${title}</dt><dd><span class="value">–</span> <span class="unit"></span></dd><dd class="faint"></dd></div>\n`
)}</dl>
`

const PLOTS: ReadonlyArray<readonly [id: string, title: string]> = [
  ["requests", "Requests a second"],
  ["commits", "Commits a second"],
  ["latency", "Latency in ms"],
  ["refusals", "Refusals a second, by code"]
]

const plots = html`<section>
<h2>The last hour</h2>
<div class="plots">${PLOTS.map(
  ([id, title]) =>
    html`<figure class="plot panel"><figcaption id="plot-${id}-title">${title}</figcaption>
<div id="plot-${id}" role="img" aria-labelledby="plot-${id}-title plot-${id}-says"></div>
<p class="faint" id="plot-${id}-says">Nothing is known yet.</p></figure>\n`
)}</div>
</section>
`

const map = html`<section>
<h2 id="map-title">Shards</h2>
<ul class="legend" id="legend" aria-label="Owners"></ul>
<div class="map" id="map" role="img" aria-label="No shard is known yet"></div>
<details><summary>The map as a table</summary>
<div class="wide" role="region" tabindex="0" aria-labelledby="map-title"><table class="told" id="leases">
<caption>Owners of shards</caption>
<thead><tr><th scope="col">Owner</th><th scope="col" class="number">Number</th><th scope="col">Shards</th></tr></thead>
<tbody></tbody>
</table></div>
</details>
</section>
`

const act = (title: string, form: Html): Html =>
  html`<details class="part"><summary><strong>${title}</strong></summary>
${form}</details>
`

const acts = async (visit: Visit): Promise<Html> => {
  const { form } = visit
  const [mail, webhooks] = await Promise.all([mailStands(visit), webhooksAct(visit)])
  const nodes = drainFields(visit)
  const drained =
    nodes === null
      ? html`<p class="faint">There is no other node that could take its shards.</p>`
      : form(drainNode, nodes)
  return html`<section>
<h2>Act</h2>
<p class="faint">Each asks for the reason, and keeps it with your name.</p>
<ul class="jobs" id="jobs" aria-label="Work of this console"></ul>
${mail === null ? NOTHING : html`<div class="mail">${mail.stands}</div>\n${act("Mail", mail.act)}`}${act("Webhooks", webhooks)}${act("Drain a node", drained)}${act(
    "Rebuild a read model",
    form(rebuildModel, rebuildFields)
  )}${act("Verify", form(verifyAll, verifyFields))}</section>
`
}

const everything = html`<section>
<h2>Everything else</h2>
${part("streams", "Streams", ["Stream", "Messages#", "MB#", "Last sequence#", "Replicas#", "Leader", "Offline", "Not current"])}${part(
  "consumers",
  "Consumers",
  ["Stream", "Consumer", "Pending#", "Not acknowledged#"]
)}${part("models", "Read models", ["Read model", "Version#", "Watermark#", "Behind#", "Passed over#", "Rebuilt to#"])}${part(
  "reactions",
  "Reactions",
  ["Reactions", "Watermark#", "Behind#", "Waiting#", "Passed over#"]
)}${part("services", "Processes", [
  "Process",
  "Roles",
  "Place",
  "Version",
  "Up",
  "CPU %#",
  "MB#",
  "Requests#",
  "Errors#",
  "Average ms#"
])}${part("checks", "Checks", ["Check", "Status", "Observed#", "Unit", "Message"])}</section>
<p class="faint" id="seen"></p>`

const clusterView = async (visit: Visit): Promise<Html> => html`<h1>Cluster</h1>
<p class="verdict" id="verdict" role="status"><strong>Looking</strong> <span>The first look takes a few seconds.</span></p>
<ul class="problems" id="problems"></ul>
${tiles}${plots}${map}<section>
<h2 id="nodes-title">Actor nodes</h2>
${table("nodes", "nodes-title", ["Node", "Place", "Roles", "Version", "Up", "CPU %#", "MB#", "Resident actors#", "Shards#", "Answers"])}</section>
${await acts(visit)}${everything}`

export const clusterPage: ConsolePage = {
  path: "/",
  title: "Cluster",
  listed: true,
  who: "operator",
  script: "cluster",
  render: clusterView,
  actions: [pauseMail, resumeMail, pauseWebhook, resumeWebhook, drainNode, rebuildModel, verifyAll],
  live: clusterSource
}
