/**
 * Generates the files that are committed. `npm run contracts` writes them. With `--check` it compares them and names
 * those that differ, so that no interface changes without being declared. It makes:
 *
 *  - the contract: `openapi.json`, the events with their versions, the subjects
 *  - the operations by name for clients, and the hashes of folds
 *  - the verifier as one file that websites copy, and the script of the page that seals
 *  - the diagram of the rooms
 *  - the types of the tables, which take a Postgres and are therefore compared by a test
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { OpenApi } from "effect/http-api"
import { KINDS } from "../../actors/process/kinds.ts"
import { HubApi } from "../../schemas/api.ts"
import { buckets, consumers, queueGroups, streams, subjects } from "../../schemas/subjects.ts"
import { BUNDLE, bundled } from "../kit/bundle.ts"
import { SEAL_SCRIPT, sealScript } from "../kit/seal-page.ts"
import { projectRoot } from "../launcher/paths.ts"
import { FOLDS, foldsText } from "./folds.ts"
import { OPERATION_TABLE, operationsIn, operationTable, TOOLS, toolsJson } from "./operations.ts"
import { ROOMS, roomsText } from "./rooms.ts"
import { TABLES, tablesOfMigrations } from "./tables.ts"

const FOLDER = "schemas/contract"

const eventsText = (): string =>
  KINDS.flatMap(({ fold }) => Object.entries(fold.events).map(([type, version]) => `${type} v${version}`))
    .toSorted()
    .join("\n")

const subjectsText = (): string => {
  const shapes = Object.entries(subjects).map(([name, subject]) => {
    const shape =
      typeof subject === "string"
        ? subject
        : (subject as (...parts: ReadonlyArray<string>) => string)(...parameters(subject))
    return `subject ${name}: ${shape}`
  })
  const rest = [
    ...Object.entries(streams).map(([name, value]) => `stream ${name}: ${value}`),
    ...Object.entries(buckets).map(([name, value]) => `bucket ${name}: ${value}`),
    ...Object.entries(consumers).map(([name, value]) => `consumer ${name}: ${value}`),
    ...Object.entries(queueGroups).map(([name, value]) => `queue group ${name}: ${value}`)
  ]
  return [...shapes, ...rest].join("\n")
}

/** The names of a subject function's parameters, written as `<name>`. */
const parameters = (build: object): ReadonlyArray<string> =>
  (/\(([^)]*)\)/.exec(String(build))?.[1] ?? "").split(",").map((name) => `<${name.split(":")[0]?.trim() ?? ""}>`)

const LINE_MAX_CHARS = 120

/**
 * Formats JSON. A value that fits into one line is written on one, such as a reference, a small schema or a list of
 * codes.
 */
const byLines = (value: unknown, indent = "", before = 0): string => {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, " ")
  if (typeof value !== "object" || value === null || indent.length + before + line.length < LINE_MAX_CHARS) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[\n${value.map((one) => inner + byLines(one, inner)).join(",\n")}\n${indent}]`
  const members = Object.entries(value as object).map(([name, one]) => {
    const key = `${JSON.stringify(name)}: `
    return inner + key + byLines(one, inner, key.length)
  })
  return `{\n${members.join(",\n")}\n${indent}}`
}

const document = OpenApi.fromApi(HubApi)
const operations = operationsIn(document)

const contents: Readonly<Record<string, string>> = {
  [`${FOLDER}/openapi.json`]: `${byLines(document)}\n`,
  [`${FOLDER}/events.txt`]: `${eventsText()}\n`,
  [`${FOLDER}/subjects.txt`]: `${subjectsText()}\n`,
  [OPERATION_TABLE]: operationTable(operations),
  [TOOLS]: toolsJson(operations),
  [BUNDLE]: await bundled(),
  [SEAL_SCRIPT]: await sealScript(),
  [FOLDS]: await foldsText(),
  [ROOMS]: roomsText()
}

const check = process.argv.includes("--check")
let changed = 0
if (!check) writeFileSync(join(projectRoot, TABLES), await tablesOfMigrations())
for (const [name, wanted] of Object.entries(contents)) {
  const path = join(projectRoot, name)
  if (!check) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, wanted)
    continue
  }
  if (readIfThere(path) === wanted) continue
  changed++
  process.stderr.write(`${name} is not what the code says; run npm run contracts and commit the difference\n`)
}
process.exit(changed === 0 ? 0 : 1)

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}
