/**
 * Splits an answer that is larger than one bus message into parts. Each part has a header with its number and the
 * number of parts. An answer of one part has no such header.
 */
export const PART_HEADER = "Hub-Part"
/**
 * A header of an empty message that is not the answer to a query: a node sends it to say that it works on the query. A
 * frozen or dead node sends nothing.
 */
export const TAKEN_HEADER = "Hub-Taken"
/**
 * A header of a query: the time in Unix ms after which its asker does not wait any more. A query that changes something
 * is not begun after it. Older releases do not send it.
 */
export const DEADLINE_HEADER = "Hub-Deadline"
/**
 * A header of a search: the account that it counts for, or the hash of the network. Searches take turns by it. Absent
 * from searches of the service itself, and from older releases.
 */
export const CLIENT_HEADER = "Hub-Client"
/** Bytes of one part. The server's limit is 1 MiB. */
export const PART_MAX_BYTES = 786_432
/** Parts of one answer. A larger answer is a fault of the query. */
export const PARTS_MAX = 64

export const partHeader = (index: number, count: number): string => `${index}/${count}`

/** `null` if the text is no such header. */
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
