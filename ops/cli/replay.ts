/** `hub replay <kind> <id>`: an actor's history, commit by commit, and the state each leads to. */
import { Fault } from "./fault.ts"
import { foldOf, masked, replay, type Step, type Until } from "../replay/fold.ts"
import type { Command } from "./command.ts"
import { hubIdOfReference } from "./references.ts"

const untilOf = (text: string | undefined): Until => {
  if (text === undefined) return null
  if (/^\d+$/.test(text)) return { seq: Number(text) }
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new Fault("--to takes a sequence or a time in ISO 8601")
  return { time }
}

export const replayCommand: Command = {
  usage: ["replay <kind> <id> [--to <sequence or time>] [--json]"],
  run: async (service, { positionals: [kind = "", reference = ""], values }) => {
    const fold = foldOf(kind)
    if (fold === undefined || reference === "") throw new Fault(`usage: hub ${replayCommand.usage[0]} (kinds: agent, key, handle, category, origin, challenge)`)
    const until = untilOf(values.to)
    const id = kind === "agent" ? await hubIdOfReference(service, reference) : reference
    const steps = await replay(service.log, fold, id, until)
    if (steps.length === 0) throw new Fault(`the log holds nothing of ${kind} ${reference}${until === null ? "" : " up to there"}`)
    if (values.json === true) return steps.map(({ entry, state }) => ({ seq: entry.seq, commit: masked(entry.commit), state: masked(state) }))
    return [`${kind} ${id}`, ...steps.map(textOf)].join("\n\n")
  }
}

const textOf = ({ entry, state }: Step): string => {
  const { commit } = entry
  const events = commit.events.map((event) => `    ${event.type} v${event.v} ${JSON.stringify(masked(withoutType(event)))}`)
  const by = commit.by === undefined ? "" : ` by ${commit.by}`
  return [`#${entry.seq}  ${new Date(commit.at).toISOString()}  ${commit.op}  (command ${commit.id}${by})`, ...events, `    state ${JSON.stringify(masked(state))}`].join("\n")
}

const withoutType = (event: object): object => Object.fromEntries(Object.entries(event).filter(([name]) => name !== "type" && name !== "v"))
