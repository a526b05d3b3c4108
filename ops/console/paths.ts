/** Paths of the console's pages. */
export const actorPath = (kind: string, id: string, at?: number): string =>
  `/actor/${encodeURIComponent(kind)}/${encodeURIComponent(id)}${at === undefined ? "" : `?at=${at}`}`

/** The path of a story. `id` is any id that `hub explain` accepts. */
export const explainPath = (id: string): string => `/explain/${encodeURIComponent(id)}`
