/**
 * The page of a compartment: its state, its resource usage, its program's last lines and its history. Text of programs
 * and agents is hostile: `printed` limits it, and it is escaped like all text.
 */
import { RUNTIME_LIMITS } from "../../schemas/compartment/limits.ts"
import type { SteeringAct } from "../../schemas/compartment/pages.ts"
import type { Compartment, CompartmentEvent, CompartmentStatus, LogLine } from "../../schemas/compartment/records.ts"
import { legible } from "../../schemas/legible.ts"
import { harmless } from "../../schemas/printed.ts"
import type { Member, OwnerPage, OwnerSpace } from "../human/index.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { fieldsOf, hidden, type Problems } from "../kit/owner/fields.ts"
import { icon } from "../kit/owner/icons.ts"
import { chip, chips, type Tone } from "../kit/owner/signs.ts"
import { byline, counted, own } from "../kit/record.ts"
import { minute } from "../kit/times.ts"
import { LINES_SHOWN, type CompartmentView } from "./owning.ts"
import { usageSection } from "./usage-view.ts"

/**
 * `maxChars` is in code points. Characters that control terminals or change the direction of text are shown by their
 * number.
 */
const printed = (text: string, maxChars: number): string => {
  // Bounds the work for a very long text.
  const chars = Array.from(text.slice(0, 2 * maxChars + 2))
  const isLong = chars.length > maxChars
  return legible(harmless((isLong ? chars.slice(0, maxChars) : chars).join(""))) + (isLong ? "…" : "")
}

export const compartmentPath = (id: string): string => `/owner/compartments/${id}`
export const NEW_COMPARTMENT_PATH = "/owner/compartments/new"

export const steeringForm = (id: string, act: SteeringAct): string => `compartment.${id}.${act}`

const LINE_MAX_CHARS = 1000
const WORDS_MAX_CHARS = 1000

export const STATUSES: Readonly<Record<CompartmentStatus, string>> = {
  creating: "Being made",
  starting: "Starting",
  running: "Running",
  stopping: "Stopping",
  stopped: "Stopped",
  backoff: "Ended, and waiting for its next start",
  suspended: "Suspended",
  failed: "Failed",
  deleting: "Being deleted"
}

const TONES: Readonly<Record<CompartmentStatus, Tone>> = {
  creating: "plain",
  starting: "plain",
  running: "good",
  stopping: "plain",
  stopped: "plain",
  backoff: "bad",
  suspended: "bad",
  failed: "bad",
  deleting: "plain"
}

export const statusChip = (status: CompartmentStatus): Html => chip(STATUSES[status], TONES[status])

/** Text from a program or another person. */
const words = (text: string): Html => own(printed(text, WORDS_MAX_CHARS))

const fact = (name: string, value: Html | string | null): Html =>
  value === null ? NOTHING : html`<dt>${name}</dt><dd>${value}</dd>\n`

const at = (iso: string | null): Html | null => (iso === null ? null : minute(iso))

const exited = ({ exit_code, oom_killed }: Compartment): string | null =>
  exit_code === null ? null : `${exit_code}${oom_killed ? ", for want of memory" : ""}`

const facts = (record: Compartment): Html => {
  const { status, desired, last_error, suspended, restart_count, quotas, environment } = record
  const wanted = desired === "running" && status !== "running" && status !== "deleting" ? " (it should run)" : ""
  return html`<dl class="facts">
${fact("Status", `${STATUSES[status]}${wanted}`)}${fact(
    "Suspended",
    suspended === null ? null : html`by ${suspended.by}, ${minute(suspended.at)}: ${words(suspended.reason)}`
  )}${fact("What went wrong", last_error === null ? null : words(last_error))}${fact(
    "Last exit code",
    exited(record)
  )}${fact("Starts again", at(record.next_restart_at))}${fact(
    "Failed starts",
    restart_count === 0 ? null : String(restart_count)
  )}${fact("Started", at(record.started_at))}${fact("Stopped", at(record.stopped_at))}${fact(
    "Made",
    html`${minute(record.created_at)}, by ${record.created_by === "human" ? "its owner" : "its agent"}`
  )}${fact("Image", record.image)}${fact("Isolation", record.isolation)}${fact(
    "Secrets",
    record.secrets.length === 0 ? "none" : record.secrets.join(", ")
  )}${fact("Key of the agent", environment.HUB_KEY)}${fact(
    "Share",
    `${quotas.cpus} processors, ${quotas.memory_mb} MB of memory, ${quotas.disk_mb} MB of disk, ${quotas.egress_kbit} kbit/s each way`
  )}</dl>
`
}

const commanded = ({ command }: Compartment): Html => html`<section><h2 id="command">What it runs</h2>
<div class="by-agent"><pre><code>${printed(command, RUNTIME_LIMITS.command_max_chars)}</code></pre></div></section>
`

const second = (iso: string): string => new Date(iso).toISOString().slice(11, 19)

const line = ({ at: time, stream, line: text }: LogLine): Html => {
  const from = stream === "stdout" ? "" : ` ${stream}`
  return html`<span class="faint">${second(time)}${from}</span> ${own(printed(text, LINE_MAX_CHARS))}\n`
}

const day = (iso: string): string => iso.slice(0, 10)

/** Shows the time of day of each line, and the date in a separate row when the day changes. */
const dated = (lines: ReadonlyArray<LogLine>): ReadonlyArray<Html> =>
  lines.map((one, index) => {
    const before = lines[index - 1]
    const isNew = before === undefined || day(before.at) !== day(one.at)
    return isNew ? html`<span class="faint">${day(one.at)} UTC</span>\n${line(one)}` : line(one)
  })

const written = (lines: CompartmentView["lines"]): Html => {
  const said =
    lines === undefined
      ? html`<p class="faint">Its host does not tell at the moment.</p>\n`
      : lines.length === 0
        ? html`<p class="faint">Nothing yet.</p>\n`
        : html`<p class="faint">${counted(lines.length, "line", "lines")}, the newest at the end. No more than the last ${String(LINES_SHOWN)} are shown here.</p>
<div class="by-agent"><pre><code>${dated(lines)}</code></pre></div>\n`
  return html`<section><h2 id="log">What it wrote</h2>
${said}</section>
`
}

const happened = (
  events: ReadonlyArray<CompartmentEvent>
): Html => html`<section><h2 id="events">What happened to it</h2>
<ul class="rows panel">
${events.map(
  ({ at: time, type, message }) => html`<li class="row"><p class="title">${type.replaceAll("_", " ")}</p>
<p>${words(message)}</p>
<p class="faint">${minute(time)}</p></li>\n`
)}</ul></section>
`

/** `steering`: the buttons; empty for a viewer who may not use them. */
export const compartmentMain = (shown: CompartmentView, steering: Html): Html => {
  const { record, agent, stats, history, lines } = shown
  return html`<header class="who"><span class="face face-5" aria-hidden="true">${icon("compartment")}</span><div><h1>${own(record.name)}</h1>
<p class="faint">A compartment of ${byline(agent)}</p>
${chips(statusChip(record.status))}</div></header>
${steering}<section><h2 id="state">How it is</h2>
<div class="panel">${facts(record)}</div></section>
${usageSection(record, stats, history)}${written(lines)}${commanded(record)}${happened(record.events)}`
}

/** The actions that a status allows. An owner who did not create the compartment may only stop it. */
const actsFor = ({ status, suspended }: Compartment, isMade: boolean): ReadonlyArray<SteeringAct> => {
  if (status === "deleting") return []
  const isIdle = status === "stopped" || status === "suspended" || status === "failed"
  const stop: ReadonlyArray<SteeringAct> = isIdle || status === "creating" ? [] : ["stop"]
  if (!isMade) return stop
  const start: ReadonlyArray<SteeringAct> =
    suspended !== null || status === "creating" || status === "stopping"
      ? []
      : status === "running" || status === "starting"
        ? ["restart"]
        : ["start"]
  return [...start, ...stop, "delete"]
}

const NAMES: Readonly<Record<SteeringAct, string>> = {
  start: "Start it",
  stop: "Stop it",
  restart: "Start it anew",
  delete: "Delete it"
}

const deleting = (space: OwnerSpace, member: Member, { id, name }: Compartment, problems: Problems): Html => {
  const problem = problems["confirm"]
  const field = {
    name: "confirm",
    label: `To delete it, type its name: ${name}`,
    autocomplete: "off",
    hint: "Everything in it is deleted with it, and nothing brings it back. Its agent stays."
  }
  const form = space.form(
    member,
    steeringForm(id, "delete"),
    compartmentPath(id),
    html`${hidden("act", "delete")}${fieldsOf("delete", [field], problems)}<button class="grave">${NAMES.delete}</button>\n`
  )
  return html`<details${problem === undefined ? NOTHING : html` open`}><summary>Delete this compartment</summary>
${form}</details>
`
}

export interface CompartmentPageView extends CompartmentView {
  /** True if this person created it. */
  readonly isMade: boolean
  readonly problems: Problems
}

export const compartmentPage = (space: OwnerSpace, member: Member, shown: CompartmentPageView): OwnerPage => {
  const { record, isMade, problems } = shown
  const button = (act: SteeringAct): Html =>
    act === "delete"
      ? deleting(space, member, record, problems)
      : space.form(
          member,
          steeringForm(record.id, act),
          compartmentPath(record.id),
          html`${hidden("act", act)}<button${act === "start" ? html` class="main"` : NOTHING}>${NAMES[act]}</button>\n`
        )
  const refused = problems["act"]
  const said = refused === undefined ? NOTHING : html`<p class="problem" role="alert">${refused}</p>\n`
  const acts = actsFor(record, isMade)
  const steering =
    acts.length === 0 && refused === undefined
      ? NOTHING
      : html`<section class="steer"><h2 id="steer" class="unseen">What you may do</h2>
${said}${acts.map(button)}</section>
`
  return { title: record.name, main: compartmentMain(shown, steering) }
}
