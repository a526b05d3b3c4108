/** Jobs on read models that an operator starts on the page: the same as `hub rebuild` and `hub verify`. */
import { html, type Html } from "../../../edge/kit/html.ts"
import { PROJECTIONS } from "../../../actors/process/projections.ts"
import { Finding } from "../../cli/command.ts"
import { Fault } from "../../cli/fault.ts"
import { rebuilt } from "../../cli/rebuild.ts"
import { verified } from "../../cli/verify.ts"
import { noteActed } from "../audit.ts"
import type { ConsoleAction } from "../page.ts"

const SAMPLE = 1000

export const rebuildModel: ConsoleAction = {
  name: "rebuild",
  button: "Rebuild",
  says: "The read model is made anew from the log, beside the one that is served, and then takes its place. It costs the log and Postgres some work, and no reader waits.",
  run: ({ parts, fields, ...acting }) => {
    const { jobs, service } = parts
    const projection = PROJECTIONS.find(({ name }) => name === fields["model"])
    if (projection === undefined) throw new Fault(`model is one of ${PROJECTIONS.map(({ name }) => name).join(", ")}.`)
    jobs.begin(acting, `rebuild ${projection.name}`, async (signal) => {
      await noteActed(parts, acting.operator, "rebuild", projection.name, acting.why)
      return {
        ok: true,
        says: await rebuilt(service, [projection], signal, () => () => undefined)
      }
    })
    return Promise.resolve({ to: "/", says: `${projection.name} is being rebuilt.` })
  }
}

export const rebuildFields: Html = html`<div class="field"><label for="model">Read model</label>
<select id="model" name="model">${PROJECTIONS.map(({ name }) => html`<option value="${name}">${name}</option>`)}</select></div>
`

export const verifyAll: ConsoleAction = {
  name: "verify",
  button: "Verify",
  says: "Snapshots, read models and files are compared with the log. Nothing changes. All of a large service takes long; a sample takes less.",
  run: ({ parts, fields, ...acting }) => {
    const { jobs, service } = parts
    const { extent } = fields
    if (extent !== "sample" && extent !== "all") throw new Fault("extent is one of sample, all.")
    const sample = extent === "all" ? null : SAMPLE
    jobs.begin(acting, extent === "all" ? "verify" : `verify --sample ${SAMPLE}`, async (signal) => {
      await noteActed(parts, acting.operator, "verify", extent, acting.why)
      const found = await verified(service, { kind: null, sample, signal }, () => () => undefined)
      return found instanceof Finding ? { ok: false, says: found.text } : { ok: true, says: found }
    })
    return Promise.resolve({ to: "/", says: "The log is being compared." })
  }
}

export const verifyFields: Html = html`<div class="field"><label for="extent">Compare</label>
<select id="extent" name="extent"><option value="sample">${SAMPLE} actors of each kind</option>
<option value="all">everything</option></select></div>
`
