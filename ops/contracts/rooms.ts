/**
 * Reads the rooms from the sources: the folders of `actors/` and of `edge/`, and the imports between them. A diagram of
 * both sides is generated from this; `tests/contract/arrows.test.ts` refuses circles.
 */
import { globSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { parseSync } from "vite"
import { projectRoot } from "../launcher/paths.ts"

export const ROOMS = "ops/docs/rooms.md"

/**
 * Rooms that all other rooms of a side may import, the lowest first. Each of them may import those before it. All other
 * rooms are nouns or parts of nouns.
 */
export const BELOW: Readonly<Record<string, ReadonlyArray<string>>> = {
  actors: ["tables", "log", "engine", "projections", "reactions", "queries", "kit"],
  edge: ["http", "auth", "bus", "content", "markdown", "kit"]
}

/** The one module of a noun that other rooms import. Its other files are private. */
export const DOORS: Readonly<Record<string, string>> = { actors: "noun.ts", edge: "index.ts" }

/** Separate programs, which their side does not import. */
export const PROGRAMS: ReadonlySet<string> = new Set(["sdk", "fill"])

/** Module names in `import(…)` of values and of types, anywhere in a syntax tree. */
const namesIn = (tree: unknown): ReadonlyArray<string> => {
  if (Array.isArray(tree)) return tree.flatMap(namesIn)
  if (typeof tree !== "object" || tree === null) return []
  const { type, source, ...rest } = tree as { readonly type?: string; readonly source?: { readonly value?: unknown } }
  const own = type === "ImportExpression" || type === "TSImportType" ? source?.value : undefined
  return [...(typeof own === "string" ? [own] : []), ...Object.values(rest).flatMap(namesIn)]
}

/** Module names that a source imports, types included. */
export const importsIn = (source: string): ReadonlyArray<string> => {
  const { module, program } = parseSync("source.ts", source)
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
    ),
    ...(source.includes("import(") ? namesIn(program) : [])
  ]
}

/** `null` for a file that is in no room, such as a program that combines the rooms. */
export const roomOf = (file: string): string | null => {
  const [, room, name] = file.split("/")
  return room === undefined || name === undefined ? null : room
}

type Arrows = ReadonlyMap<string, ReadonlySet<string>>

const arrowsOf = (side: string): Arrows => {
  const arrows = new Map<string, Set<string>>()
  for (const file of globSync(`${side}/*/**/*.ts`, { cwd: projectRoot }).toSorted()) {
    const from = roomOf(file)
    if (from === null || PROGRAMS.has(from)) continue
    const targets = arrows.get(from) ?? new Set<string>()
    arrows.set(from, targets)
    for (const name of importsIn(readFileSync(join(projectRoot, file), "utf8"))) {
      const to = name.startsWith(".") ? posix.join(posix.dirname(file), name) : ""
      const room = to.startsWith(`${side}/`) ? roomOf(to) : null
      if (room !== null && room !== from) targets.add(room)
    }
  }
  return arrows
}

/** Rooms that can be reached from `room` over imports. */
const reached = (arrows: Arrows, room: string, seen = new Set<string>()): ReadonlySet<string> => {
  for (const next of arrows.get(room) ?? []) {
    if (seen.has(next)) continue
    seen.add(next)
    reached(arrows, next, seen)
  }
  return seen
}

/** The imports to draw. An import is left out if others lead to the same room. */
const drawn = (arrows: Arrows, below: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  [...arrows.keys()]
    .filter((room) => !below.includes(room))
    .toSorted()
    .flatMap((room) => {
      const targets = [...(arrows.get(room) ?? [])].filter((to) => !below.includes(to)).toSorted()
      const further = new Set(targets.flatMap((to) => [...reached(arrows, to)]))
      return targets.filter((to) => !further.has(to)).map((to) => [room, to] as const)
    })

const node = (room: string): string => `${room.replaceAll("-", "_")}["${room}"]`

const pictureOf = (side: string): string => {
  const below = BELOW[side] ?? []
  const arrows = arrowsOf(side)
  const all = drawn(arrows, below)
  const alone = [...arrows.keys()].filter((room) => !below.includes(room) && !all.flat().includes(room)).toSorted()
  return [
    `## \`${side}/\``,
    "",
    `Below all of them, each importing only what stands left of it: ${below.map((room) => `\`${room}\``).join(", ")}.`,
    "",
    "```mermaid",
    "flowchart TD",
    ...all.map(([from, to]) => `  ${node(from)} --> ${node(to)}`),
    "```",
    "",
    ...(alone.length === 0 ? [] : [`No other noun: ${alone.map((room) => `\`${room}\``).join(", ")}.`, ""])
  ].join("\n")
}

export const roomsText = (): string =>
  [
    "# Rooms",
    "",
    "For people who add or move code. After reading you know which folder may import which. `npm run contracts` draws",
    "these pictures from the imports, and `tests/contract/arrows.test.ts` fails on a circle. An arrow says that a room",
    "imports another one. Arrows that follow from others are left out. A noun is imported by its door: `noun.ts` in",
    "`actors/`, `index.ts` in `edge/`.",
    "",
    ...Object.keys(BELOW).map(pictureOf)
  ]
    .join("\n")
    .trimEnd() + "\n"
