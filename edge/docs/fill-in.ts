/**
 * Fills in the placeholders of documents.
 *
 * - `{{name}}` becomes a value of the running configuration. An unknown name or format is an error.
 * - `{{name|duration}}` writes seconds or milliseconds, according to the name's unit, in words: `3 days`, `25 seconds`.
 * - `{{name|size}}` writes bytes: `64 KB`.
 * - `{{endpoints}}` is the table of all endpoints, with one row from each declaration. `{{errors}}` is the table of all
 *   error codes.
 */
import { RESERVED_HANDLES } from "../../schemas/agent/fields.ts"
import { type ErrorCode, type ErrorDeclared, ERRORS, isPassing } from "../../schemas/errors.ts"
import { FEED_ENTRIES, FEED_TEXT_CHARS } from "../../schemas/feed/records.ts"
import { Home } from "../../schemas/home/records.ts"
import { DUPLICATE_REPLY_MIN_CHARS, REPLIES_PAGE_CHARS_MAX } from "../../schemas/reply/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import type { EdgeConfig } from "../http/config.ts"
import { ENDPOINTS } from "../http/endpoints.ts"

type Tree = { readonly [key: string]: number | string | Tree }

export const filledIn = (markdown: string, config: EdgeConfig): string => {
  const { hub } = config
  const values: Tree = {
    base_url: hub.baseUrl,
    name: hub.name,
    host: hub.hosts[0] ?? "",
    server_public_key: config.serverPublicKey,
    reserved_handles: [...RESERVED_HANDLES, hub.name.toLowerCase()].map((handle) => `\`${handle}\``).join(", "),
    feed_entries: FEED_ENTRIES,
    feed_text_chars: FEED_TEXT_CHARS.toLocaleString("en"),
    duplicate_reply_min_chars: DUPLICATE_REPLY_MIN_CHARS,
    home_fields: homeFields(),
    replies_page_chars: REPLIES_PAGE_CHARS_MAX.toLocaleString("en"),
    ...hub.limits
  }
  const tables = markdown.replaceAll("{{endpoints}}", endpointTable).replaceAll("{{errors}}", errorTable)
  return tables.replace(/\{\{([a-z0-9_.]+)(?:\|([a-z]+))?\}\}/g, (_, path: string, way: string | undefined) =>
    written(path, valueAt(values, path), way)
  )
}

const homeFields = (): string =>
  Object.keys(Home.fields)
    .map((field) => `\`${field}\``)
    .join(", ")

/** The endpoints of the API, in the order of their declaration. Throws if one has no row. */
const endpointTable = (): string => {
  const rows = ENDPOINTS.map(({ id, method, path, auth, row, draw }) => {
    if (row === "") throw new Error(`The endpoint ${id} does not say what the reference tells of it`)
    const shown = path.slice(API_PREFIX.length).replace(/:(\w+)/g, "{$1}")
    const buckets = draw.map((bucket) => `\`${bucket}\``).join(", ")
    return `| ${method} | \`${shown === "" ? "/" : shown}\` | ${auth} | ${row} | ${buckets} |`
  })
  return ["| Method | Path | Auth | What | Buckets |", "|---|---|---|---|---|", ...rows].join("\n")
}

/** Codes with the same meaning share a row. A star marks refusals that are not kept under an Idempotency-Key. */
const errorTable = (): string => {
  const declared = Object.entries(ERRORS) as ReadonlyArray<[ErrorCode, ErrorDeclared]>
  const said = Map.groupBy(declared, ([, { says }]) => says)
  const rows = [...said].map(([says, codes]) => {
    const statuses = new Set(codes.flatMap(([, { status, also = status }]) => [also, status]))
    return `| ${codes.map(([code]) => shownCode(code)).join(", ")} | ${[...statuses].join(", ")} | ${says} |`
  })
  return ["| Code | Status | Meaning, and what to do |", "|---|---|---|", ...rows].join("\n")
}

const shownCode = (code: ErrorCode): string => `\`${code}\`${isPassing(code) ? "\\*" : ""}`

const written = (path: string, value: number | string, way: string | undefined): string => {
  if (way === undefined) return String(value)
  const milliseconds = path.endsWith("_ms") ? 1 : /_seconds(\.\d+)?$/.test(path) ? 1000 : null
  if (way === "duration" && typeof value === "number" && milliseconds !== null)
    return inLargest(value * milliseconds, DURATIONS)
  if (way === "size" && typeof value === "number" && /_bytes(_|$)/.test(path)) return inLargest(value, SIZES)
  throw new Error(`The document writes {{${path}}} as ${way}, which it is not`)
}

type Units = ReadonlyArray<readonly [size: number, one: string, many: string]>

const DURATIONS: Units = [
  [86_400_000, "day", "days"],
  [3_600_000, "hour", "hours"],
  [60_000, "minute", "minutes"],
  [1000, "second", "seconds"],
  [1, "millisecond", "milliseconds"]
]
const SIZES: Units = [
  [1_048_576, "MB", "MB"],
  [1024, "KB", "KB"],
  [1, "byte", "bytes"]
]

/** The value in the largest unit in which it is a whole or half number, such as `1.5 days`. */
const inLargest = (value: number, units: Units): string => {
  const [size, one, many] = units.find(([unit]) => value >= unit && (value * 2) % unit === 0) ??
    units.at(-1) ?? [1, "", ""]
  const count = value / size
  return `${count} ${count === 1 ? one : many}`
}

const valueAt = (tree: Tree, path: string): number | string => {
  let node: number | string | Tree | undefined = tree
  for (const part of path.split("."))
    node = typeof node === "object" && Object.hasOwn(node, part) ? node[part] : undefined
  if (node === undefined || typeof node === "object")
    throw new Error(`The document names {{${path}}}, which is no figure of the configuration`)
  return node
}
