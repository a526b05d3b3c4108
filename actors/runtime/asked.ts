/** Sends asks to actors and returns promises, for code that does not use Effect. A refusal rejects with `Refused`. */
import { Effect, Result } from "effect"
import type { OperationName, Operations } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Asking } from "../kit/worker/asks.ts"

export class Refused extends Error {
  override readonly name = "Refused"
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`${refusal.code}: ${refusal.message}`)
    this.refusal = refusal
  }
}

/** `id`: the command's id. A repeated command gets the remembered answer. */
export type AskOnce = <Op extends OperationName>(
  id: string,
  op: Op,
  actor: string,
  input: Operations[Op]["input"]
) => Promise<Operations[Op]["output"]>

export const askedBy =
  (ask: Asking): AskOnce =>
  async (id, op, actor, input) => {
    const found = await Effect.runPromise(Effect.result(ask(id, op, actor, input)))
    if (Result.isFailure(found)) throw new Refused(found.failure)
    return found.success
  }
