/** Of an actor that was written to, or was asked for what only an existing one is asked: it is there. */
export const existing = <State>(state: State | null): State => {
  if (state === null) throw new TypeError("an actor to which nothing has happened has no record")
  return state
}
