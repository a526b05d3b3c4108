/** `hub explain`: shows everything that one request caused, found by any of its ids. Reads only. */
import { foundFor, tracesFor } from "../explain/found.ts"
import type { Refused } from "../explain/refused.ts"
import type { Traces } from "../explain/spans.ts"
import { type Story, storyOf } from "../explain/story.ts"
import { refusedText, storyMermaid, storyText, tracesText } from "../explain/text.ts"
import type { Command, Options } from "./command.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { progressOf } from "./progress.ts"

const output = (story: Story, refused: Refused | null, traces: Traces | null, { json, mermaid }: Options): unknown => {
  if (json === true) return { refused, ...story, traces }
  if (mermaid === true) return storyMermaid(story, refused)
  const told = refused === null ? [] : [refusedText(story.request, refused)]
  const followed = refused !== null && story.commits.length === 0 ? "nothing of it is in the log" : storyText(story)
  return [...told, followed, ...(traces === null ? [] : [tracesText(traces)])].join("\n\n")
}

export const explainCommand: Command = {
  usage: ["explain <id> [--since <point>] [--log <file>] [--traces <address>] [--json] [--mermaid]"],
  run: async (service, { positionals: [reference = ""], values }) => {
    const { root, refused, unseen } = await foundFor(service, reference, values)
    const { request, seq, near } = root
    const { story, traces } = await untilInterrupted(async (signal) => {
      const told = await storyOf(service, { request, from: seq, near, progress: progressOf("explain"), signal })
      return { story: told, traces: await tracesFor(service, told, values, signal) }
    })
    if (story.commits.length === 0 && refused === null)
      throw new Fault(
        `the log holds no commit of ${request}, and ${unseen}: it was only read, was refused longer ago or at an edge ` +
          "that has ended, or is older than --since. The edge's log has it: --log <file>"
      )
    return output(story, refused, traces, values)
  }
}
