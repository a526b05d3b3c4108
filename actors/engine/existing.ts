/**
 * The state of an actor that must exist, because it was written to, or because only an existing one gets this command.
 */
export const existing = <State>(state: State | null): State => {
  if (state === null) throw new TypeError("an actor to which nothing has happened has no record")
  return state
}
