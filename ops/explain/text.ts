/** A story in words, and as a sequence diagram of Mermaid. What is given here is masked already. */
import { eventText, timeText } from "../replay/report.ts"
import type { Quiet, Story, StoryCommit } from "./story.ts"

const SAYS: Readonly<Record<Quiet["state"], string>> = {
  waits: "waits: not asked yet",
  parked: "parked: its actor could not be had, and is asked again",
  fault: "passed over: hub reactions list names it",
  unchanged: "done: there was nothing to change"
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

/** A name that Mermaid takes as one word. */
const participant = (kind: string): string => kind.replace(/[^A-Za-z0-9_]/g, "_")

export const storyMermaid = ({ commits, quiet }: Story): string => {
  const bySeq = new Map(commits.map((one) => [one.seq, one]))
  const from = (cause: number | null): string => {
    const told = cause === null ? undefined : bySeq.get(cause)
    return told === undefined ? "edge" : participant(told.kind)
  }
  return [
    "sequenceDiagram",
    ...commits.map((one) => `  ${from(one.cause)}->>${participant(one.kind)}: ${one.op} #35;${one.seq}`),
    ...quiet.map((one) => `  ${from(one.cause)}--)${participant(one.kind)}: ${one.op} (${one.state})`)
  ].join("\n")
}
