/**
 * An answer that is larger than one bus message comes in parts, each with a header that says which of how many it is.
 * An answer of one part has no such header.
 */
export const PART_HEADER = "Hub-Part"
/**
 * On a query: who asks understands it on an empty message that is no answer, by which a node says that it has the query
 * and is at it. One that is frozen or gone says nothing.
 */
export const TAKEN_HEADER = "Hub-Taken"
/** Bytes of one part; the server's ceiling is 1 MiB. */
export const PART_MAX_BYTES = 786_432
/** Parts of one answer: what would be larger is a fault of the query. */
export const PARTS_MAX = 64

export const partHeader = (index: number, count: number): string => `${index}/${count}`

/** `null` for anything that is no such header. */
export const readPartHeader = (text: string): { readonly index: number; readonly count: number } | null => {
  const [index, count] = text.split("/").map(Number)
  const whole = index !== undefined && count !== undefined && Number.isInteger(index) && Number.isInteger(count)
  return whole && index >= 0 && index < count && count <= PARTS_MAX ? { index, count } : null
}

export const splitParts = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += PART_MAX_BYTES) parts.push(bytes.subarray(at, at + PART_MAX_BYTES))
  return parts
}
