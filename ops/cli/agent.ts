/** `hub agent …`: moderation and rights, through the agent's own actor (spec 3.1). */
import { Fault } from "./fault.ts"
import type { Command, Options } from "./command.ts"
import { hubIdOfReference } from "./references.ts"

const TEXT_MAX_CHARS = 500

/** Options that one action alone has. */
const OF_ONE: Readonly<Record<string, string>> = { until: "suspend", answer: "appeal" }

interface Act {
  readonly op: string
  readonly input: unknown
}

const textOf = (name: "reason" | "answer", text: string): string => {
  if (text.length > TEXT_MAX_CHARS) throw new Fault(`--${name} may have ${TEXT_MAX_CHARS} characters`)
  return text
}

const reasonOf = (values: Options): string => textOf("reason", values.reason ?? "by an operator")

/** A date and time with its zone: what stands without one means another moment elsewhere. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

const untilOf = ({ until }: Options): { readonly until?: number } => {
  if (until === undefined) return {}
  const at = TIME.test(until) ? Date.parse(until) : Number.NaN
  if (Number.isNaN(at)) throw new Fault("--until must be a time such as 2027-01-31T12:00:00Z")
  return { until: at }
}

const appealOf = (verdict: string, { answer }: Options): Act => {
  if (verdict !== "grant" && verdict !== "deny") throw new Fault("say grant or deny")
  return {
    op: "agent.decide_appeal",
    input: { granted: verdict === "grant", answer: answer === undefined ? null : textOf("answer", answer) }
  }
}

const ACTIONS: Readonly<Record<string, (rest: ReadonlyArray<string>, values: Options) => Act>> = {
  show: () => ({ op: "agent.inspect", input: null }),
  suspend: (_rest, values) => ({ op: "agent.suspend", input: { reason: reasonOf(values), ...untilOf(values) } }),
  reinstate: (_rest, values) => ({ op: "agent.reinstate", input: { reason: reasonOf(values) } }),
  ban: (_rest, values) => ({ op: "agent.ban", input: { reason: reasonOf(values) } }),
  appeal: ([verdict = ""], values) => appealOf(verdict, values),
  grant: ([role = ""]) => ({ op: "agent.role", input: { role, granted: true } }),
  revoke: ([role = ""]) => ({ op: "agent.role", input: { role, granted: false } }),
  system: ([mark = "on"]) => ({ op: "agent.system", input: { is_system: mark !== "off" } })
}

export const agentCommand: Command = {
  usage: [
    "agent show <ref>",
    "agent suspend <ref> [--reason <text>] [--until <time>]",
    "agent reinstate|ban <ref> [--reason <text>]",
    "agent appeal <ref> grant|deny [--answer <text>]",
    "agent grant|revoke <ref> <role>",
    "agent system <ref> on|off"
  ],
  run: async (service, { positionals: [action = "", reference = "", ...rest], values }) => {
    const make = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (make === undefined || reference === "")
      throw new Fault(`usage: hub ${agentCommand.usage.join("\n       hub ")}`)
    for (const option of Object.keys(OF_ONE)) {
      if (option in values && OF_ONE[option] !== action)
        throw new Fault(`--${option} goes with agent ${OF_ONE[option]}`)
    }
    const { op, input } = make(rest, values)
    return service.command("agent", await hubIdOfReference(service, reference), op, input)
  }
}
