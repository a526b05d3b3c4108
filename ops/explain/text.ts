/** A story in words, and as a sequence diagram of Mermaid. The input is masked already. */
import { type ErrorCode, ERRORS } from "../../schemas/errors.ts"
import { eventText, timeText } from "../replay/report.ts"
import type { Refused } from "./refused.ts"
import type { Traces } from "./spans.ts"
import type { Quiet, Story, StoryCommit } from "./story.ts"

const SAYS: Readonly<Record<Quiet["state"], string>> = {
  waits: "waits: not asked yet",
  parked: "parked: its actor could not be had, and is asked again",
  fault: "passed over: hub reactions list names it",
  unchanged: "done: there was nothing to change",
  ended: "done: its actor may have ended since, and is then no longer kept"
}

const causeOf = ({ cause, set }: StoryCommit): string =>
  cause === null ? "" : `  follows from #${cause}${set === null ? "" : ` by ${set}`}`

const commitLines = (one: StoryCommit, began: number): ReadonlyArray<string> => [
  `#${one.seq}  ${timeText(one.at)}  +${one.at - began} ms  ${one.kind}/${one.actor}  ${one.op}` +
    `${one.by === null ? "" : `  by ${one.by}`}${causeOf(one)}${one.trace_id === null ? "" : `  trace_id ${one.trace_id}`}`,
  ...one.events.map((event) => `    ${eventText(event)}`)
]

export const storyText = ({ request, commits, left_out, quiet, read_models: models }: Story): string => {
  const began = commits[0]?.at ?? 0
  const late = (models ?? []).filter(({ has }) => !has)
  return [
    `request ${request}: ${commits.length} ${commits.length === 1 ? "commit" : "commits"}`,
    ...commits.flatMap((one) => ["", ...commitLines(one, began)]),
    ...(left_out === 0 ? [] : ["", `and ${left_out} more commits`]),
    ...(quiet.length === 0 ? [] : ["", "told, without a commit"]),
    ...quiet.map(
      ({ cause, set, op, kind, actor, state }) => `  #${cause}  ${set}: ${op} to ${kind}/${actor}  ${SAYS[state]}`
    ),
    "",
    models === null
      ? "read models: Postgres does not answer"
      : late.length === 0
        ? `read models: ${models.map(({ name }) => name).join(", ") || "none"} have all of it`
        : `read models that lack some of it: ${late.map(({ name, watermark, wants }) => `${name} (at ${watermark ?? "its beginning"}, wants ${wants})`).join(", ")}`
  ].join("\n")
}

const BY: Readonly<Record<string, string>> = {
  edge: "the edge itself",
  gate: "the gate of the actor, which judges who asks",
  actor: "the actor",
  query: "a query of the read models",
  bus: "the edge, because nothing behind it answered; what it asked for may have been done"
}

const says = (code: string | null): string | null =>
  code !== null && Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].says : null

const whoText = ({ key, agent, human, client }: Refused): string => {
  if (human !== null) return `person ${human}`
  if (key !== null) return `agent ${agent ?? key}${agent === null || agent === key ? "" : `, by the key ${key}`}`
  return agent === null ? `nobody who is known, client ${client}` : `a token of the vault of agent ${agent}`
}

export const refusedText = (id: string, refused: Refused): string => {
  const { at, method, route, status, ms, code, by, asked, field, bucket, reason } = refused
  const line = (name: string, value: string | null): ReadonlyArray<string> =>
    value === null ? [] : [`  ${name.padEnd(11)}${value}`]
  return [
    code === null
      ? `request ${id} was answered ${status}`
      : `request ${id} was refused: ${status} ${code}${says(code) === null ? "" : `: ${says(code)}`}`,
    ...line("when", `${timeText(at)}, after ${ms} ms`),
    ...line("what", `${method} ${route}`),
    ...line("who", whoText(refused)),
    ...line("refused by", by === null ? null : `${BY[by] ?? by}${asked === null ? "" : ` (${asked})`}`),
    ...line("field", field),
    ...line("bucket", bucket),
    ...line("reason", reason)
  ].join("\n")
}

const DIGITS = 1

export const tracesText = ({ spans, left_out, unseen }: Traces): string => {
  const began = new Map<string, number>()
  for (const { trace_id, at } of spans) began.set(trace_id, Math.min(at, began.get(trace_id) ?? at))
  const lines = spans.map(({ trace_id, service, name, at, ms, depth, failed }) => {
    const since = `+${(at - (began.get(trace_id) ?? at)).toFixed(DIGITS)}`.padStart(9)
    return `${since} ms ${ms.toFixed(DIGITS).padStart(8)} ms  ${"  ".repeat(depth)}${name}  ${service}${failed ? "  failed" : ""}`
  })
  return [
    "durations, by the traces (began, lasted)",
    ...lines,
    ...(left_out === 0 ? [] : [`and ${left_out} more spans`]),
    ...Object.entries(unseen).map(([id, why]) => `trace ${id}: ${why}`)
  ].join("\n")
}

/** A name that is one word for Mermaid. */
const participant = (kind: string): string => kind.replace(/[^A-Za-z0-9_]/g, "_")

export const storyMermaid = ({ commits, quiet }: Pick<Story, "commits" | "quiet">, refused: Refused | null): string => {
  const bySeq = new Map(commits.map((one) => [one.seq, one]))
  const from = (cause: number | null): string => {
    const told = cause === null ? undefined : bySeq.get(cause)
    return told === undefined ? "edge" : participant(told.kind)
  }
  return [
    "sequenceDiagram",
    ...(refused === null
      ? []
      : [`  Note over edge: ${refused.status} ${refused.code ?? ""}${refused.by === null ? "" : ` by ${refused.by}`}`]),
    ...commits.map((one) => `  ${from(one.cause)}->>${participant(one.kind)}: ${one.op} #35;${one.seq}`),
    ...quiet.map((one) => `  ${from(one.cause)}--)${participant(one.kind)}: ${one.op} (${one.state})`)
  ].join("\n")
}
