/**
 * Wraps a kind's operations so that they do not see what a restore has ended (sessions, links, tokens). So no function
 * that gets the state can forget to test for it. The fold of the log stays the same.
 */
import type { ActorTypes, Operation } from "./definition.ts"

type See = (state: unknown) => unknown

type Any = Operation<ActorTypes, unknown, unknown, unknown>

const seen = (operation: Any, see: See): Any => {
  switch (operation.type) {
    case "read":
      return { ...operation, read: (state, ...rest) => operation.read(see(state), ...rest) }
    case "custom":
      return { ...operation, run: (state, ...rest) => operation.run(see(state), ...rest) }
    case "write": {
      const { prepare, contested, after } = operation
      return {
        ...operation,
        ...(prepare && { prepare: (state, ...rest) => prepare(see(state), ...rest) }),
        decide: (state, ...rest) => operation.decide(see(state), ...rest),
        ...(contested && { contested: (state, ...rest) => contested(see(state), ...rest) }),
        answer: (state, ...rest) => operation.answer(see(state), ...rest),
        ...(after && {
          after: (input, context, made) => after(input, context, { ...made, state: see(made.state) })
        })
      }
    }
  }
}

/** `restoredAt`: Unix ms; 0 if the log was never restored. */
export const sinceRestore = <State, Operations extends object>(
  restoredAt: number,
  seenSince: (state: State, restoredAt: number) => State,
  operations: Operations
): Operations => {
  if (restoredAt === 0) return operations
  const see: See = (state) => seenSince(state as State, restoredAt)
  const all = Object.entries(operations).map(([name, operation]) => [name, seen(operation as Any, see)])
  return Object.fromEntries(all) as Operations
}
