/** Histories, states and decisions in words. The input is masked already. */
import { operatorOf } from "../../actors/engine/command-ids.ts"
import type { EventShape, LogEntry } from "../../actors/log/commit.ts"
import { ERROR_STATUS } from "../../schemas/errors.ts"
import { type Difference, valueText } from "./difference.ts"
import type { Step } from "./fold.ts"
import { differsFromReality, type WhatIf } from "./what-if.ts"

export const timeText = (at: number): string => new Date(at).toISOString()

export const eventText = ({ type, v, ...fields }: EventShape): string => `${type} v${v} ${JSON.stringify(fields)}`

export const headText = ({ seq, commit, trace_id }: LogEntry): string => {
  const operator = operatorOf(commit.id)
  const by = operator === null ? (commit.by === undefined ? "" : ` by ${commit.by}`) : ` by operator ${operator}`
  const trace = trace_id === undefined ? "" : `  trace_id ${trace_id}`
  const why = commit.why === undefined ? "" : `  why: ${commit.why}`
  return `#${seq}  ${timeText(commit.at)}  ${commit.op}  (command ${commit.id}${by})${trace}${why}`
}

const indented = (lines: ReadonlyArray<string>, by = "    "): ReadonlyArray<string> =>
  lines.map((line) => `${by}${line}`)

export const entryText = (entry: LogEntry): string =>
  [headText(entry), ...indented(entry.commit.events.map(eventText))].join("\n")

export const stepText = ({ entry, state }: Step): string =>
  [entryText(entry), ...indented([`state ${valueText(state)}`])].join("\n")

export const differencesText = (changes: ReadonlyArray<Difference>): ReadonlyArray<string> => {
  const width = Math.max(0, ...changes.map(({ path }) => path.length))
  return changes.map(
    ({ path, before, after }) => `${(path || "(all)").padEnd(width)}  ${valueText(before)} → ${valueText(after)}`
  )
}

export const whatIfText = (result: WhatIf): string => {
  const { op, at, seq, refused, events, also, timers, reply, state, really } = result
  const decided =
    refused === null
      ? []
      : [
          `refused: ${refused.status ?? ERROR_STATUS[refused.code]} ${refused.code}: ${refused.message}` +
            (refused.details === undefined ? "" : ` ${JSON.stringify(refused.details)}`)
        ]
  const lines = [
    `what if ${op} had come at ${timeText(at)}, with the actor at ${seq === 0 ? "its beginning" : `#${seq}`}`,
    ...indented([
      ...decided,
      ...(refused === null && events.length === 0 ? ["nothing to change: no event"] : []),
      ...events.map(eventText),
      ...also.map(
        (companion) =>
          `also ${companion.kind} ${companion.id}, where it stands at ${companion.expected}: ${companion.events.map(eventText).join("; ")}`
      ),
      ...timers.map((timer) => `timer ${timer.name} at ${timeText(timer.at)}`),
      ...(reply === undefined ? [] : [`reply ${JSON.stringify(reply)}`]),
      `state ${valueText(state)}`
    ])
  ]
  if (really === null) return [...lines, "nothing really followed", "nothing was written"].join("\n")
  const differs = differsFromReality(result)
  return [
    ...lines,
    `what really followed: ${headText(really.entry)}`,
    ...indented(really.entry.commit.events.map(eventText)),
    ...(differs.length === 0
      ? ["and led to the same state"]
      : ["and led to another state (what if → really):", ...indented(differencesText(differs))]),
    "nothing was written"
  ].join("\n")
}
