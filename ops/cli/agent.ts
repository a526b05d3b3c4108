/** `hub agent …`: moderation and rights, through the agent's own actor (spec 3.1). */
import type { OperatorView } from "../../schemas/moderation/operations.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import type { Arguments, Command, Options } from "./command.ts"
import { hubIdOfReference } from "./references.ts"

const TEXT_MAX_CHARS = 500

type Act = (service: Service, id: string) => Promise<OperatorView>

const textOf = (name: "reason" | "answer", text: string): string => {
  if (text.length > TEXT_MAX_CHARS) throw new Fault(`--${name} may have ${TEXT_MAX_CHARS} characters`)
  return text
}

const reasonOf = (values: Options): string => textOf("reason", values.reason ?? "by an operator")

/** A date and time with its time zone, which is required because machines differ in theirs. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

const untilOf = ({ until }: Options): { readonly until?: number } => {
  if (until === undefined) return {}
  const at = TIME.test(until) ? Date.parse(until) : Number.NaN
  if (Number.isNaN(at)) throw new Fault("--until must be a time such as 2027-01-31T12:00:00Z")
  return { until: at }
}

const acting = (usage: string, make: (args: Arguments, rest: ReadonlyArray<string>) => Act): Command => ({
  usage: [usage],
  run: async (service, args) => {
    const [reference = "", ...rest] = args.positionals
    const act = make(args, rest)
    return act(service, await hubIdOfReference(service, reference))
  }
})

export const agentCommands = [
  acting("agent show <ref>", () => (service, id) => service.command("agent.inspect", id, null)),
  acting("agent suspend <ref> [--reason <text>] [--until <time>]", ({ values }) => {
    const input = { reason: reasonOf(values), ...untilOf(values) }
    return (service, id) => service.command("agent.suspend", id, input)
  }),
  acting("agent reinstate|ban <ref> [--reason <text>]", ({ verb, values }) => {
    const reason = reasonOf(values)
    return (service, id) => service.command(verb === "ban" ? "agent.ban" : "agent.reinstate", id, { reason })
  }),
  // Withdraws the votes of an agent that was banned by an older release, which left them.
  acting("agent withdraw <ref>", () => async (service, id) => {
    await service.command("withdrawal.begin", id, null)
    return service.command("agent.inspect", id, null)
  }),
  acting("agent appeal <ref> grant|deny [--answer <text>]", ({ values: { answer } }, [verdict]) => {
    const input = { granted: verdict === "grant", answer: answer === undefined ? null : textOf("answer", answer) }
    return (service, id) => service.command("agent.decide_appeal", id, input)
  }),
  acting(
    "agent grant|revoke <ref> <role>",
    ({ verb }, [role = ""]) =>
      (service, id) =>
        service.command("agent.role", id, { role, granted: verb === "grant" })
  ),
  acting(
    "agent system <ref> on|off",
    (_args, [mark]) =>
      (service, id) =>
        service.command("agent.system", id, { is_system: mark === "on" })
  )
]
