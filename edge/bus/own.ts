/** Asks the actor of the signer. */
import { Effect } from "effect"
import type { OperationName, Operations } from "../../schemas/bus/operations.ts"
import { type Bus, parse } from "./bus.ts"
import type { Author } from "../../schemas/secret/secrets.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"

/** The operation's output as ready JSON. */
export const own = <Op extends OperationName>(
  bus: Bus,
  call: Call,
  op: Op,
  input: Operations[Op]["input"]
): Effect.Effect<Uint8Array, Refused> => bus.askSigned(call, { actor: call.ticket?.home ?? "", op, input })

/** The author of the request's texts, for `withoutSecrets`. */
export const author = (call: Call): Author => ({ publicKey: call.ticket?.publicKey ?? "" })

/**
 * The agent that signed, after its signature is settled. For handlers that ask other actors or a view on its behalf.
 */
export const signer = (bus: Bus, call: Call): Effect.Effect<Operations["agent.authenticate"]["output"], Refused> =>
  Effect.map(own(bus, call, "agent.authenticate", null), parse<Operations["agent.authenticate"]["output"]>)
