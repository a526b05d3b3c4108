/** Actors without a node around them: none of what they do reaches a service. */
import { Effect, Exit, Scope } from "effect"
import { Activation, type EngineParts } from "../../../actors/engine/activation.ts"
import type { ActorDefinition, ActorTypes, CustomOperation, WriteOperation } from "../../../actors/engine/definition.ts"
import { ActorHost } from "../../../actors/engine/host.ts"
import type { Refusal } from "../../../schemas/errors.ts"

type Definition = ActorDefinition<ActorTypes, never>

/** A kind that could reach services, and here does not. */
const closed = (definition: object): Definition => definition as Definition

export const activationOf = (definition: object, id: string, parts: EngineParts): Activation =>
  new Activation(closed(definition), id, parts, (effect) => Effect.runFork(effect))

export const hostWith = (definitions: ReadonlyArray<object>, parts: EngineParts): ActorHost =>
  Effect.runSync(Scope.provide(ActorHost.make(definitions.map(closed), parts), Scope.makeUnsafe()))

/** The operation of this name, which must be one of the kind's own. */
export const customOf = (
  definition: { readonly operations: object },
  name: string
): CustomOperation<ActorTypes, unknown, unknown> => {
  const operation = closed(definition).operations[name]
  if (operation?.type !== "custom") throw new Error(`${name} reads or decides`)
  return operation
}

/** The operation of this name, which must be a write. */
export const writeOf = (
  definition: { readonly operations: object },
  name: string
): WriteOperation<ActorTypes, unknown, unknown> => {
  const operation = closed(definition).operations[name]
  if (operation?.type !== "write") throw new Error(`${name} is no write`)
  return operation
}

/** What came of an operation of a kind's own. */
export const performed = async (
  effect: Effect.Effect<unknown, Refusal>
): Promise<{ readonly data: unknown } | { readonly refused: Refusal }> => {
  const exit = await Effect.runPromiseExit(Effect.result(effect))
  if (Exit.isFailure(exit)) throw new Error("it died")
  return exit.value._tag === "Success" ? { data: exit.value.success } : { refused: exit.value.failure }
}
