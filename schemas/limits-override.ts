/** The limits in use: the declared ones, with the changes of a development server's environment. */
import { type Limits, LIMITS } from "./limits.ts"

export type LimitsOverride =
  | { readonly ok: true; readonly limits: Limits }
  | { readonly ok: false; readonly problem: string }

/**
 * NATS keeps a stream's messages for at least the 120 s in which it detects duplicates. The streams of nonces and of
 * proofs keep them for these figures plus 60 s.
 */
const MINIMA: Readonly<Record<string, number>> = {
  "identity.nonce_memory_seconds": 60,
  "authentication.nonce_reuse_seconds": 60
}

type Tree = { [key: string]: number | Tree }

/**
 * Applies `HUB_LIMITS` (contract 15: JSON with dotted names, development only) to the defaults. The result is a problem
 * if a name is unknown, or if a value is not finite, negative or below its minimum in `MINIMA`. The problem names the
 * limit.
 */
export const overrideLimits = (json: string | undefined): LimitsOverride => {
  if (json === undefined || json.trim() === "") return { ok: true, limits: LIMITS }
  let parsed: unknown
  try {
    parsed = JSON.parse(json)
  } catch {
    return { ok: false, problem: "HUB_LIMITS is not JSON" }
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return { ok: false, problem: "HUB_LIMITS must be a JSON object of dotted names to numbers" }
  }
  const tree = structuredClone(LIMITS) as unknown as Tree
  for (const [name, value] of Object.entries(parsed)) {
    const problem = setLimit(tree, name, value)
    if (problem !== null) return { ok: false, problem }
  }
  return { ok: true, limits: tree as unknown as Limits }
}

const setLimit = (tree: Tree, name: string, value: unknown): string | null => {
  if (typeof value === "object" && value !== null) {
    return `HUB_LIMITS: ${name} must be a number; name each figure by its dotted path, as in {"rate_limits.register.requests": 1000}`
  }
  const min = Object.hasOwn(MINIMA, name) ? (MINIMA[name] ?? 0) : 0
  if (typeof value !== "number" || !Number.isFinite(value) || value < min) {
    return `HUB_LIMITS: ${name} must be a number of ${min} or more`
  }
  const path = name.split(".")
  const last = path.pop() ?? ""
  let node: Tree = tree
  for (const part of path) {
    const next = Object.hasOwn(node, part) ? node[part] : undefined
    if (typeof next !== "object") return `HUB_LIMITS: there is no limit named ${name}`
    node = next
  }
  if (!Object.hasOwn(node, last) || typeof node[last] !== "number") return `HUB_LIMITS: there is no limit named ${name}`
  node[last] = value
  return null
}
