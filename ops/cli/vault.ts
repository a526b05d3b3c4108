/**
 * `hub vault …`: makes tokens for fill services, shows the state of a vault, and re-encrypts keys under another
 * HUB_VAULT_KEY.
 */
import { randomUUID } from "node:crypto"
import { viewsOver } from "../../actors/engine/services.ts"
import type { Queries, QueryName } from "../../schemas/bus/operations.ts"
import { Effect } from "effect"
import type { Arguments, Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { hubIdOfReference } from "./references.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"

const DEADLINE_MS = 15_000
/** The place of a fill service that runs outside of compartments, with a token from an operator. */
const OPERATORS_PLACE = "operator"

const asked = <View extends QueryName>(
  { nats }: Service,
  view: View,
  input: Queries[View]["input"]
): Promise<Queries[View]["output"]> =>
  Effect.runPromise(
    Effect.mapError(
      viewsOver(machineClock, nats).query({ commandId: "", deadline: Date.now() + DEADLINE_MS }, view, input),
      ({ message, code }) =>
        code === "unavailable" ? new Fault("the keeper does not answer; is it running?") : new Fault(message, code)
    )
  )

const agentOf = (service: Service, { positionals: [reference = ""] }: Arguments): Promise<string> =>
  hubIdOfReference(service, reference)

/** The token is the only text on the last line. */
const token = async (service: Service, args: Arguments): Promise<string> => {
  const agent = await agentOf(service, args)
  const issued = await asked(service, "keeper_issue", { agent, place: OPERATORS_PLACE, request: randomUUID() })
  return `a fill service of ${agent} may load the vault's key with this, once; the token before has ended\n${issued.token}`
}

const status = async (service: Service, args: Arguments): Promise<unknown> =>
  service.command("vault.look", await agentOf(service, args), null)

/** The number of vaults that are named. */
const NAMED_MAX = 5

const rewrap = async (service: Service): Promise<string> => {
  let [keys, current, from]: [number, number, number | null] = [0, 0, 1]
  let unopened: ReadonlyArray<string> = []
  while (from !== null) {
    const part: Queries["keeper_rewrap"]["output"] = await asked(service, "keeper_rewrap", { from })
    keys += part.keys
    current += part.current
    unopened = [...unopened, ...part.unopened]
    from = part.next
  }
  const done = `${keys} keys were brought under the keeper's HUB_VAULT_KEY, ${current} are under it now`
  if (unopened.length === 0) return done
  const named = unopened.slice(0, NAMED_MAX).join(", ")
  throw new Fault(
    `${done}, and ${unopened.length} are sealed under a key that is neither HUB_VAULT_KEY nor HUB_VAULT_KEY_FORMER: ` +
      `of ${named}${unopened.length > NAMED_MAX ? " and others" : ""}`
  )
}

export const vaultCommands: ReadonlyArray<Command> = [
  { usage: ["vault token <agent>"], run: token },
  { usage: ["vault status <agent>"], run: status },
  { usage: ["vault rewrap"], run: rewrap }
]
