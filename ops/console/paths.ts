/** Paths of the console's pages. */
export const actorPath = (kind: string, id: string, at?: number): string =>
  `/actor/${encodeURIComponent(kind)}/${encodeURIComponent(id)}${at === undefined ? "" : `?at=${at}`}`

/** Any id that `hub explain` takes. */
export const explainPath = (id: string): string => `/explain/${encodeURIComponent(id)}`
