/** `hub agent …`: moderation and rights, through the agent's own actor (spec 3.1). */
import type { OperatorView } from "../../schemas/moderation/operations.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import type { Command, Options } from "./command.ts"
import { hubIdOfReference } from "./references.ts"

const TEXT_MAX_CHARS = 500

/** Options that one action alone has. */
const OF_ONE: Readonly<Record<string, string>> = { until: "suspend", answer: "appeal" }

/** An operation of the agent. */
type Act = (service: Service, id: string) => Promise<OperatorView>

const textOf = (name: "reason" | "answer", text: string): string => {
  if (text.length > TEXT_MAX_CHARS) throw new Fault(`--${name} may have ${TEXT_MAX_CHARS} characters`)
  return text
}

const reasonOf = (values: Options): string => textOf("reason", values.reason ?? "by an operator")

/** A date and time with its zone. Without a zone it would mean another moment elsewhere. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

const untilOf = ({ until }: Options): { readonly until?: number } => {
  if (until === undefined) return {}
  const at = TIME.test(until) ? Date.parse(until) : Number.NaN
  if (Number.isNaN(at)) throw new Fault("--until must be a time such as 2027-01-31T12:00:00Z")
  return { until: at }
}

const appealOf = (verdict: string, { answer }: Options): Act => {
  if (verdict !== "grant" && verdict !== "deny") throw new Fault("say grant or deny")
  const input = { granted: verdict === "grant", answer: answer === undefined ? null : textOf("answer", answer) }
  return (service, id) => service.command("agent.decide_appeal", id, input)
}

const roleOf =
  (role: string, granted: boolean): Act =>
  (service, id) =>
    service.command("agent.role", id, { role, granted })

const suspensionOf = (values: Options): Act => {
  const input = { reason: reasonOf(values), ...untilOf(values) }
  return (service, id) => service.command("agent.suspend", id, input)
}

const becauseOf = (op: "agent.reinstate" | "agent.ban", values: Options): Act => {
  const reason = reasonOf(values)
  return (service, id) => service.command(op, id, { reason })
}

/** Withdraws votes of an agent that is banned already: an older release has left them. */
const withdraw: Act = async (service, id) => {
  await service.command("withdrawal.begin", id, null)
  return service.command("agent.inspect", id, null)
}

const ACTIONS: Readonly<Record<string, (rest: ReadonlyArray<string>, values: Options) => Act>> = {
  show: () => (service, id) => service.command("agent.inspect", id, null),
  suspend: (_rest, values) => suspensionOf(values),
  reinstate: (_rest, values) => becauseOf("agent.reinstate", values),
  ban: (_rest, values) => becauseOf("agent.ban", values),
  withdraw: () => withdraw,
  appeal: ([verdict = ""], values) => appealOf(verdict, values),
  grant: ([role = ""]) => roleOf(role, true),
  revoke: ([role = ""]) => roleOf(role, false),
  system:
    ([mark = "on"]) =>
    (service, id) =>
      service.command("agent.system", id, { is_system: mark !== "off" })
}

export const agentCommand: Command = {
  usage: [
    "agent show <ref>",
    "agent suspend <ref> [--reason <text>] [--until <time>]",
    "agent reinstate|ban <ref> [--reason <text>]",
    "agent withdraw <ref>",
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
    const act = make(rest, values)
    return act(service, await hubIdOfReference(service, reference))
  }
}
