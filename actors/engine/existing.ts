/** The state of an actor that must exist, since it was written to or only an existing one is asked this. */
export const existing = <State>(state: State | null): State => {
  if (state === null) throw new TypeError("an actor to which nothing has happened has no record")
  return state
}
