/** `hub agent …`: moderation and rights, through the agent's own actor (spec 3.1). */
import { Fault } from "./fault.ts"
import type { Command } from "./command.ts"
import { hubIdOfReference } from "./references.ts"

const ACTIONS: Readonly<Record<string, (rest: ReadonlyArray<string>, reason: string) => { readonly op: string; readonly input: unknown }>> = {
  show: () => ({ op: "agent.inspect", input: null }),
  suspend: (_rest, reason) => ({ op: "agent.suspend", input: { reason } }),
  reinstate: (_rest, reason) => ({ op: "agent.reinstate", input: { reason } }),
  ban: (_rest, reason) => ({ op: "agent.ban", input: { reason } }),
  grant: ([role = ""]) => ({ op: "agent.role", input: { role, granted: true } }),
  revoke: ([role = ""]) => ({ op: "agent.role", input: { role, granted: false } }),
  system: ([mark = "on"]) => ({ op: "agent.system", input: { is_system: mark !== "off" } })
}

const REASON_MAX_CHARS = 500

export const agentCommand: Command = {
  usage: [
    "agent show <ref>",
    "agent suspend|reinstate|ban <ref> [--reason <text>]",
    "agent grant|revoke <ref> <role>",
    "agent system <ref> on|off"
  ],
  run: async (service, { positionals: [action = "", reference = "", ...rest], values }) => {
    const make = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (make === undefined || reference === "") throw new Fault(`usage: hub ${agentCommand.usage.join("\n       hub ")}`)
    const reason = values.reason ?? "by an operator"
    if (reason.length > REASON_MAX_CHARS) throw new Fault(`--reason may have ${REASON_MAX_CHARS} characters`)
    const { op, input } = make(rest, reason)
    return service.command("agent", await hubIdOfReference(service, reference), op, input)
  }
}
