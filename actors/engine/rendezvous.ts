/**
 * Rendezvous hashing. Every node computes the same best owner of a shard. A session that comes or goes moves only the
 * shards that it gains or loses.
 */

/** The session with the highest weight for a shard; `null` if there are no sessions. */
export const highestOf = (sessions: ReadonlyArray<string>, shard: number): string | null => {
  let best: string | null = null
  let weight = -1
  for (const session of sessions) {
    const candidate = rendezvous(session, shard)
    if (candidate > weight || (candidate === weight && best !== null && session > best)) {
      best = session
      weight = candidate
    }
  }
  return best
}

/** FNV-1a of session and shard with the final mix of murmur3, 32 bits. */
const rendezvous = (session: string, shard: number): number => {
  let hash = 0x811c9dc5 ^ Math.imul(shard + 1, 0x9e3779b1)
  for (let index = 0; index < session.length; index++) {
    hash ^= session.charCodeAt(index)
    hash = Math.imul(hash, 0x01000193)
  }
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
