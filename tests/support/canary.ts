/**
 * Searches for planted bytes in every form in which they could be stored: raw, as UTF-16, in hexadecimal, and in base64
 * and base64url at each offset. It searches given bytes and the memory of processes.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"

export const FORMS = ["plain", "utf-16", "hex", "base64", "base64url"] as const

interface Needle {
  readonly what: string
  readonly form: (typeof FORMS)[number]
  readonly bytes: Buffer
}

/** The part of a text's base64 that does not depend on the text before and after it. */
const base64At = (bytes: Buffer, before: number): string =>
  Buffer.concat([Buffer.alloc(before), bytes])
    .toString("base64")
    .slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))

/** All encodings of a secret. Only a text is also encoded as UTF-16. */
export const needlesOf = (what: string, secret: Buffer | string): ReadonlyArray<Needle> => {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((before) => base64At(bytes, before))
  const all: ReadonlyArray<Needle> = [
    { what, form: "plain", bytes },
    ...(typeof secret === "string" ? [{ what, form: "utf-16", bytes: Buffer.from(secret, "utf16le") } as const] : []),
    { what, form: "hex", bytes: Buffer.from(bytes.toString("hex")) },
    ...base64.map((text) => ({ what, form: "base64", bytes: Buffer.from(text) }) as const),
    ...base64.map(
      (text) =>
        ({ what, form: "base64url", bytes: Buffer.from(text.replaceAll("+", "-").replaceAll("/", "_")) }) as const
    )
  ]
  // Without `+` and `/` in it, base64 and base64url are the same.
  return [...new Map(all.toReversed().map((needle) => [needle.bytes.toString("hex"), needle])).values()].toReversed()
}

export const foundInBytes = (bytes: Buffer, needles: ReadonlyArray<Needle>): ReadonlyArray<Needle> =>
  needles.filter((needle) => bytes.includes(needle.bytes))

const CHUNK_BYTES = 16 * 1024 * 1024

interface Region {
  readonly from: number
  readonly to: number
}

/** Memory that a process can have written. Mapped programs and libraries are left out. */
const regionsOf = (pid: number, withShared: boolean): ReadonlyArray<Region> =>
  readFileSync(`/proc/${pid}/maps`, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, from, to, flags = "", path = ""] = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line) ?? []
      if (from === undefined || to === undefined || !flags.startsWith("r")) return []
      if (/^\[v(?:var|syscall|dso)/.test(path) || (path.startsWith("/") && flags[1] !== "w" && flags[3] === "p"))
        return []
      if (flags[3] === "s" && !withShared) return []
      return [{ from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) }]
    })

/**
 * Searches the memory of a process. Returns the secrets that were found and the number of bytes that could be read,
 * which is 0 if the process has ended. `withShared` includes memory that it shares with its children.
 */
export const foundInMemory = (
  pid: number,
  needles: ReadonlyArray<Needle>,
  withShared = true
): { readonly found: ReadonlyArray<Needle>; readonly bytes: number } => {
  const found = new Set<Needle>()
  let bytes = 0
  try {
    const regions = regionsOf(pid, withShared)
    const memory = openSync(`/proc/${pid}/mem`, "r")
    try {
      for (const region of regions) bytes += foundInRegion(memory, region, needles, found)
    } finally {
      closeSync(memory)
    }
  } catch (cause) {
    if (!hasEnded(cause)) throw cause
  }
  return { found: [...found], bytes }
}

const hasEnded = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ESRCH")

const chunk = Buffer.allocUnsafe(CHUNK_BYTES)

const foundInRegion = (memory: number, { from, to }: Region, needles: ReadonlyArray<Needle>, found: Set<Needle>) => {
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1
  let bytes = 0
  for (let at = from; at < to;) {
    const read = readAt(memory, chunk, Math.min(CHUNK_BYTES, to - at), at)
    if (read === 0) break
    for (const needle of foundInBytes(chunk.subarray(0, read), needles)) found.add(needle)
    bytes += read
    at = at + read >= to ? to : at + Math.max(1, read - overlap)
  }
  return bytes
}

/** Returns 0 for pages that cannot be read, or were freed meanwhile. */
const readAt = (memory: number, chunk: Buffer, length: number, at: number): number => {
  try {
    return readSync(memory, chunk, 0, length, at)
  } catch {
    return 0
  }
}

/** A process and all of its descendants. */
export const familyOf = (root: number): ReadonlyArray<number> => {
  const parents = new Map(
    readdirSync("/proc").flatMap((name): ReadonlyArray<[number, number]> => {
      if (!/^\d+$/.test(name)) return []
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8")
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])]]
      } catch {
        return []
      }
    })
  )
  const isOf = (pid: number | undefined): boolean => pid !== undefined && (pid === root || isOf(parents.get(pid)))
  return [...parents.keys()].filter(isOf)
}
