/** Asking the actor of whoever signed. The pipeline lets nobody unsigned come to such a handler. */
import { Effect } from "effect"
import type { OperationName, Operations } from "../../schemas/bus/operations.ts"
import { type Bus, parse } from "./bus.ts"
import type { Author } from "../../schemas/secret/secrets.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"

/** Ready JSON of the operation's output. */
export const own = <Op extends OperationName>(
  bus: Bus,
  call: Call,
  op: Op,
  input: Operations[Op]["input"]
): Effect.Effect<Uint8Array, Refused> => bus.askSigned(call, { actor: call.ticket?.home ?? "", op, input })

/** The author of the request's texts, for `withoutSecrets`. */
export const author = (call: Call): Author => ({ publicKey: call.ticket?.publicKey ?? "" })

/** The agent that signed, with the signature settled: for what is asked of other actors, or of a view, on its behalf. */
export const signer = (bus: Bus, call: Call): Effect.Effect<Operations["agent.authenticate"]["output"], Refused> =>
  Effect.map(own(bus, call, "agent.authenticate", null), parse<Operations["agent.authenticate"]["output"]>)
