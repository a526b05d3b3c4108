/** The first page: a verdict on the cluster, its shards as a map, and everything that `hub status --all` tells, live. */
import { html, type Html } from "../../../edge/html/html.ts"
import type { ConsolePage } from "../page.ts"
import { mailSection, resumeMail } from "./mail.ts"
import { clusterSource } from "./source.ts"

/** Filled by script/cluster.js. A column that ends in `#` holds numbers. */
const table = (id: string, title: string, columns: ReadonlyArray<string>): Html => {
  const heads = columns.map((column) =>
    column.endsWith("#")
      ? html`<th scope="col" class="number">${column.slice(0, -1)}</th>`
      : html`<th scope="col">${column}</th>`
  )
  return html`<section>
<h2 id="${id}-title">${title}</h2>
<div class="wide" role="region" tabindex="0" aria-labelledby="${id}-title"><table class="told" id="${id}">
<thead><tr>${heads}</tr></thead>
<tbody></tbody>
</table></div>
</section>
`
}

const mainWith = (mail: Html): Html => html`<h1>Cluster</h1>
<p class="verdict" id="verdict" role="status"><strong>Looking</strong> <span>The first look takes a few seconds.</span></p>
<ul class="problems" id="problems"></ul>
<section>
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
${mail}${table("nodes", "Actor nodes", ["Node", "Place", "Roles", "Version", "Started", "Resident actors#", "Shards#", "Answers"])}${table(
  "streams",
  "Streams",
  ["Stream", "Messages#", "Bytes#", "Last sequence#", "Replicas#", "Leader", "Offline", "Not current"]
)}${table("consumers", "Consumers", ["Stream", "Consumer", "Pending#", "Not acknowledged#"])}${table(
  "models",
  "Read models",
  ["Read model", "Version#", "Watermark#", "Behind#", "Passed over#", "Rebuilt to#"]
)}${table("reactions", "Reactions", ["Reactions", "Watermark#", "Behind#", "Waiting#", "Passed over#"])}${table(
  "services",
  "Processes: edges, workers, keeper, hosts",
  ["Process", "Roles", "Place", "Version", "Started", "Requests#", "Errors#", "Average ms#"]
)}${table("checks", "Checks", ["Check", "Status", "Observed#", "Unit", "Message"])}<p class="faint" id="seen"></p>`

export const clusterPage: ConsolePage = {
  path: "/",
  title: "Cluster",
  listed: true,
  who: "operator",
  script: "cluster",
  render: async (visit) => mainWith(await mailSection(visit)),
  actions: [resumeMail],
  live: clusterSource
}
