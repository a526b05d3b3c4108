/** The form that tries another command on an actor at the chosen commit, and its result. */
import { html, type Html, NOTHING } from "../../../edge/kit/html.ts"
import { ERROR_STATUS } from "../../../schemas/errors.ts"
import { Fault } from "../../cli/fault.ts"
import { asJson } from "../../replay/difference.ts"
import { Masker } from "../../replay/masks.ts"
import { eventText, headText, timeText } from "../../replay/report.ts"
import {
  decidingOf,
  differsFromReality,
  type Moment,
  readWhatIf,
  type WhatIf,
  whatIfAt,
  type WhatIfCommand,
  WhatIfFault
} from "../../replay/what-if.ts"
import type { Visit } from "../page.ts"
import { fieldsHtml, inputOf, isOperation } from "./fields.ts"
import type { Actor, Around } from "./history.ts"
import { differencesView, linesView } from "./json-view.ts"

/** False if the command comes after the chosen commit. */
export const isInPlace = (query: URLSearchParams): boolean => query.get("when") === "before"

/** The command in the form; `null` if no operation was chosen. Throws a Fault that names the wrong field. */
export const commandOf = ({ kind }: Actor, query: URLSearchParams): WhatIfCommand | null => {
  const op = query.get("op") ?? ""
  if (op === "") return null
  if (!isOperation(op)) throw new Fault(`${kind.fold.kind} has no operation ${op}.`)
  const [time, facts] = [query.get("time") ?? "", query.get("facts") ?? ""].map((text) => text.trim())
  const member = (name: string, text: string | undefined): string => (text ? `,${JSON.stringify(name)}:${text}` : "")
  const input = JSON.stringify(inputOf(op, query))
  const at = time === undefined || time === "" ? "" : JSON.stringify(/^\d+$/.test(time) ? Number(time) : time)
  return readable(() =>
    readWhatIf(`{"op":${JSON.stringify(op)},"input":${input}${member("at", at)}${member("facts", facts)}}`)
  )
}

export const readable = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    throw error instanceof WhatIfFault ? new Fault(error.message) : error
  }
}

const momentOf = (actor: Actor, { steps, chosen, before }: Around, inPlace: boolean): Moment => {
  const [last, step, next] = [steps[chosen - 1], steps[chosen], steps[chosen + 1]]
  if (inPlace) return { ...actor, seq: last?.entry.seq ?? 0, state: before, next: step?.entry }
  return { ...actor, seq: step?.entry.seq ?? 0, state: step?.state, next: next?.entry }
}

const decidedHtml = ({ refused, events, also, timers, reply }: WhatIf): Html => {
  const lines = [
    ...events.map(eventText),
    ...also.map(({ kind, id, events: theirs }) => `also ${kind} ${id}: ${theirs.map(eventText).join("; ")}`),
    ...timers.map(({ name, at }) => `timer ${name} at ${timeText(at)}`),
    ...(reply === undefined ? [] : [`reply ${JSON.stringify(reply)}`])
  ]
  const verdict =
    refused === null
      ? html`<p id="verdict"><strong>Accepted.</strong>${events.length === 0 ? " There is nothing to change." : null}</p>`
      : html`<p id="verdict" class="problem"><strong>Refused:</strong> ${refused.status ?? ERROR_STATUS[refused.code]} ${refused.code}: ${refused.message}</p>`
  const details = refused?.details === undefined ? [] : [JSON.stringify(refused.details)]
  const told = [...details, ...lines]
  return html`${verdict}
${told.length === 0 ? null : linesView(told, "Decision")}`
}

const reallyHtml = (result: WhatIf): Html => {
  const { really } = result
  if (really === null) return html`<p>Nothing really followed.</p>\n`
  return html`<h4>The commit that really followed</h4>
${linesView([headText(really.entry), ...really.entry.commit.events.map(eventText)], "The commit that really followed")}${differsFromReality(result).length === 0 ? html`<p>It led to the same state.</p>\n` : differencesView(asJson(result.state), asJson(really.state), "Compared with what really came")}`
}

/** Hidden fields that repeat the parameters of the address, for another button of the same command. */
const carried = (query: URLSearchParams): ReadonlyArray<Html> =>
  [...query]
    .filter(([name]) => name !== "show" && name !== "expected")
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)

const writeForm = (query: URLSearchParams, path: string): Html => html`<h4>Write as a test</h4>
<form class="form" method="get" action="${path}">
${carried(query)}<div class="field"><label for="w-expected">Expected instead</label>
<textarea id="w-expected" name="expected" rows="3" spellcheck="false">${query.get("expected") ?? ""}</textarea>
<span class="faint">JSON, such as {"refused": null, "events": []}. Empty: as it is decided now. Otherwise the test fails until the code agrees.</span></div>
<p class="options"><button name="show" value="test">Download the test</button>
<button name="show" value="test-history">Download its history</button></p>
<p class="faint">Put both into tests/ops/.</p>
</form>
`

const resultHtml = ({ query, parts, call }: Visit, actor: Actor, past: Around, command: WhatIfCommand): Html => {
  const moment = momentOf(actor, past, isInPlace(query))
  const masker = new Masker()
  const before = asJson(masker.mask(moment.state))
  const result = masker.mask(readable(() => whatIfAt(moment, command, parts.config)))
  const place = result.seq === 0 ? "its beginning" : `#${result.seq}`
  return html`<section class="panel" id="decided" aria-labelledby="decided-title">
<h3 id="decided-title">What if ${result.op} had come</h3>
<p>At ${timeText(result.at)}, with the actor at ${place}. Nothing was written.</p>
${decidedHtml(result)}${differencesView(before, asJson(result.state), "Changes of the state")}${reallyHtml(result)}${writeForm(query, call.path)}</section>
`
}

/** Shows a fault of the command above the form, which keeps the typed values. */
export const whatIfHtml = (visit: Visit, actor: Actor, past: Around): Html => {
  const { query, parts, call } = visit
  const seq = past.steps[past.chosen]?.entry.seq ?? 0
  const op = query.get("op") ?? ""
  const deciding = decidingOf(actor.kind, parts.config).toSorted()
  const options = deciding.map((one) => html`<option${one === op ? html` selected` : null}>${one}</option>`)
  const isKnown = isOperation(op) && deciding.includes(op)
  const when = (value: string, text: string): Html =>
    html`<option value="${value}"${isInPlace(query) === (value === "before") ? html` selected` : null}>${text}</option>`
  let result: Html = NOTHING
  if (query.get("show") === "decision")
    try {
      const command = commandOf(actor, query)
      if (command !== null) result = resultHtml(visit, actor, past, command)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      result = html`<p class="problem" role="alert">${error.message}</p>\n`
    }
  if (deciding.length === 0) return NOTHING
  return html`<section id="what-if">
<h2>What if</h2>
<p>Puts another command to the actor as it was. The code that serves decides, and nothing is written.</p>
${result}<form class="form" method="get" action="${call.path}#what-if">
<input type="hidden" name="at" value="${seq}">
<div class="field"><label for="w-op">Operation</label><select id="w-op" name="op">${options}</select>
<button name="show" value="form">Show its fields</button></div>
${
  isKnown
    ? html`<div class="field"><label for="w-when">It comes</label><select id="w-when" name="when">
${when("after", "after the chosen commit")}${when("before", "in place of the chosen commit")}</select></div>
${fieldsHtml(op, query)}<div class="field"><label for="w-time">Time</label>
<input id="w-time" name="time" value="${query.get("time") ?? ""}">
<span class="faint">ISO 8601. Empty: when the commit came that really followed, or now.</span></div>
<div class="field"><label for="w-facts">Facts</label><textarea id="w-facts" name="facts" rows="2" spellcheck="false">${query.get("facts") ?? ""}</textarea>
<span class="faint">JSON, for operations that ask about the world. May be empty.</span></div>
<button class="main" name="show" value="decision">Decide</button>
`
    : null
}</form>
</section>
`
}
