/**
 * Reads a folder of markdown files as entries of the library. Each file begins with its front matter: lines of `name:
 * value` between two lines of `---`. A value may be a string of JSON in double quotes. If files have faults, the first
 * fault of each file is reported and no entry is returned.
 */
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { ENTRIES_MAX, type EntryGiven, entryProblem, LIBRARY_KINDS } from "../../schemas/library/fields.ts"
import { Fault } from "./fault.ts"

/** The longest body, with four bytes for each character, and its front matter. */
const FILE_MAX_BYTES = 416_384
const NAMES: ReadonlySet<string> = new Set(["slug", "title", "kind", "language", "summary"])
const FENCE = "---"

const utf8 = new TextDecoder("utf-8", { fatal: true })

interface ReadEntry {
  readonly file: string
  readonly entry: EntryGiven
}

/**
 * Reads the `.md` files of this folder in the order of their names, without subfolders. Throws a Fault that names each
 * faulty file and its field.
 */
export const entriesIn = async (folder: string): Promise<ReadonlyArray<EntryGiven>> => {
  const files = await filesIn(folder)
  const faults: Array<string> = []
  const read: Array<ReadEntry> = []
  for (const file of files) {
    const entry = await entryIn(join(folder, file))
    if (typeof entry === "string") faults.push(`${file}: ${entry}`)
    else read.push({ file, entry })
  }
  faults.push(...sameSlugs(read))
  if (faults.length > 0) throw new Fault(faults.join("\n"))
  return read.map(({ entry }) => entry)
}

const filesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new Fault(`${folder} cannot be read: ${codeOf(error)}`)
  })
  const files = names.filter((name) => name.endsWith(".md")).toSorted()
  if (files.length === 0) throw new Fault(`${folder} has no file whose name ends in .md`)
  if (files.length > ENTRIES_MAX) throw new Fault(`${folder} has ${files.length} entries; ${ENTRIES_MAX} is the most`)
  return files
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "failed")

const entryIn = async (path: string): Promise<EntryGiven | string> => {
  try {
    const { size } = await stat(path)
    if (size > FILE_MAX_BYTES) return `body has ${size} bytes; ${FILE_MAX_BYTES} is the most`
    return entryOf(await readFile(path))
  } catch (error) {
    return `cannot be read: ${codeOf(error)}`
  }
}

const sameSlugs = (read: ReadonlyArray<ReadEntry>): ReadonlyArray<string> => {
  const first = new Map<string, string>()
  return read.flatMap(({ file, entry: { slug } }) => {
    const other = first.get(slug)
    if (other !== undefined) return [`${file}: slug is that of ${other}: ${slug}`]
    first.set(slug, file)
    return []
  })
}

/** Returns a file's content as an entry, or its fault with the field's name. */
export const entryOf = (bytes: Uint8Array): EntryGiven | string => {
  const text = decoded(bytes)
  if (text === null) return "body is no UTF-8"
  const [first, ...lines] = text.replaceAll("\r\n", "\n").split("\n")
  const end = lines.findIndex((line) => line.trimEnd() === FENCE)
  if (first?.trimEnd() !== FENCE || end === -1) return `front matter is missing: the first line must be ${FENCE}`
  const matter = matterIn(lines.slice(0, end))
  if (typeof matter === "string") return matter
  const entry = given(matter, bodyOf(lines.slice(end + 1)))
  return typeof entry === "string" ? entry : (entryProblem(entry)?.problem ?? entry)
}

/** Decodes UTF-8, without the byte order mark that some editors write first. `null` if the bytes are not UTF-8. */
const decoded = (bytes: Uint8Array): string | null => {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

const matterIn = (lines: ReadonlyArray<string>): ReadonlyMap<string, string> | string => {
  const matter = new Map<string, string>()
  for (const line of lines) {
    if (line.trim() === "") continue
    const colon = line.indexOf(":")
    const name = line.slice(0, Math.max(0, colon)).trim()
    if (!NAMES.has(name)) return `front matter takes ${[...NAMES].join(", ")}, not ${JSON.stringify(line)}`
    if (matter.has(name)) return `${name} is given twice`
    const value = valueOf(line.slice(colon + 1).trim())
    if (value === null) return `${name} begins with a quote and is no text as JSON has it`
    matter.set(name, value)
  }
  return matter
}

const valueOf = (written: string): string | null => {
  if (!written.startsWith('"')) return written
  try {
    const value: unknown = JSON.parse(written)
    return typeof value === "string" ? value : null
  } catch {
    return null
  }
}

/** Removes blank lines at both ends. */
const bodyOf = (lines: ReadonlyArray<string>): string =>
  lines
    .slice(lines.findIndex((line) => line.trim() !== ""))
    .join("\n")
    .trimEnd()

const given = (matter: ReadonlyMap<string, string>, body: string): EntryGiven | string => {
  const kind = LIBRARY_KINDS.find((one) => one === matter.get("kind"))
  if (kind === undefined) return `kind must be one of ${LIBRARY_KINDS.join(", ")}.`
  return {
    slug: matter.get("slug") ?? "",
    title: matter.get("title") ?? "",
    kind,
    language: matter.get("language") || null,
    summary: matter.get("summary") ?? "",
    body
  }
}
