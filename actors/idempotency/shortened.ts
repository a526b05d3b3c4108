/**
 * Shortens an answer that is too long to be kept: only its short members are kept. Ids, addresses, states and secrets
 * that are shown once are short; texts and lists are not. `meta.shortened` marks it.
 */

/** The most bytes that a shortened answer has. */
export const SHORTENED_MAX_BYTES = 2_048
const MEMBER_MAX_BYTES = 256
/** Members whose own members are shortened too. */
const PARTS: ReadonlySet<string> = new Set(["data", "error"])

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const DONE = { ok: true, data: null }
const META = { shortened: true }

const parsed = (answer: string): Members => {
  try {
    const value: unknown = JSON.parse(answer)
    return isMembers(value) ? value : DONE
  } catch {
    return DONE
  }
}

export const shortened = (answer: string): string => {
  let room = SHORTENED_MAX_BYTES - JSON.stringify({ data: null, error: null, meta: META }).length
  const short = (members: Members): Members =>
    Object.fromEntries(
      Object.entries(members).flatMap(([name, value]) => {
        if (name === "meta") return []
        if (PARTS.has(name)) return [[name, isMembers(value) ? short(value) : null]]
        const bytes = Buffer.byteLength(JSON.stringify({ [name]: value }))
        if (bytes > Math.min(room, MEMBER_MAX_BYTES)) return []
        room -= bytes
        return [[name, value]]
      })
    )
  return JSON.stringify({ ...short(parsed(answer)), meta: META })
}
