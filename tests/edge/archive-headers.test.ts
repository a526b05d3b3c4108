/** Archives whose headers lie, are too many, or say what readers disagree on; and links that lead on over others. */
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { judgeArchive } from "../../edge/compartment/archive.ts"
import { walked } from "../../edge/compartment/archive-headers.ts"
import { LIMITS } from "../../schemas/limits.ts"

const BLOCK = 512
const END = Buffer.alloc(2 * BLOCK)

interface Head {
  readonly name?: string
  readonly size?: number
  readonly type?: string
  readonly link?: string
}

const head = ({ name = "a", size = 0, type = "0", link = "" }: Head): Buffer => {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0, 100)
  block.write("0000644\0", 100)
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124)
  block.write(" ".repeat(8), 148)
  block.write(type, 156)
  block.write(link, 157, 100)
  block.write("ustar\u000000", 257, "latin1")
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return block
}

const entry = (of: Head, data: Buffer | string = ""): Buffer => {
  const bytes = Buffer.from(data)
  const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)
  return Buffer.concat([head({ size: bytes.length, ...of }), bytes, padding])
}

const record = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  const digits = String(bytes + String(bytes).length).length
  return `${bytes + digits}${rest}`
}
const pax = (records: Readonly<Record<string, string>>, type = "x"): Buffer =>
  entry(
    { name: "pax", type },
    Object.entries(records)
      .map(([key, value]) => record(key, value))
      .join("")
  )

const judged = (...parts: ReadonlyArray<Buffer>) =>
  judgeArchive(gzipSync(Buffer.concat([...parts, END])), LIMITS.runtime)
const refusedBy = async (...parts: ReadonlyArray<Buffer>) => {
  const found = await judged(...parts)
  return "refused" in found ? found.refused : null
}
const ruleOf = async (...parts: ReadonlyArray<Buffer>) => (await refusedBy(...parts))?.details?.["rule"] ?? null

const FILE = entry({ name: "a" }, "x")

/** What goes on of a tar to its reader, and whether it was refused. */
const passedOn = async (tar: Buffer): Promise<{ parts: ReadonlyArray<Buffer>; refused: boolean }> => {
  const parts: Array<Buffer> = []
  try {
    for await (const part of walked([tar])) parts.push(part)
    return { parts, refused: false }
  } catch {
    return { parts, refused: true }
  }
}

describe("headers that are no entries", () => {
  it("are few: the reader sees none of those behind the second", async () => {
    const keys = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, ""]))
    const many = Array.from({ length: 1000 }, () => pax({ a: "" }))
    expect(await ruleOf(pax(keys, "g"), ...many, FILE)).toBe("global_header")
    expect(await ruleOf(...many, FILE)).toBe("extended_headers")
    // One header with its records, and no byte of another 999, wherever the chunks end.
    const before = Buffer.concat([...Array.from({ length: 31 }, () => FILE), pax({ a: "" })])
    const { parts, refused } = await passedOn(Buffer.concat([before, ...many]))
    expect(refused).toBe(true)
    expect(Buffer.concat(parts).length).toBeLessThanOrEqual(before.length)
  })

  it("are a global one with a comment, as git makes it, and one for each entry", async () => {
    const comment = pax({ comment: "0123456789abcdef" }, "g")
    expect(await judged(comment, pax({ path: "long", mtime: "1.5" }), FILE, pax({ size: "1" }), FILE)).toEqual({
      files: 2,
      bytes: 2
    })
    const names = [entry({ type: "L" }, "name\0"), entry({ type: "K" }, "target\0")]
    expect(await ruleOf(...names, entry({ type: "2", link: "b" }))).toBeNull()
    expect(await ruleOf(...names, names[0] ?? END, FILE)).toBe("extended_headers")
    expect(await ruleOf(...names, pax({ path: "b" }), FILE)).toBe("extended_headers")
    expect(await ruleOf(pax({ path: "b" }), names[0] ?? END, FILE)).toBe("extended_headers")
    expect(await ruleOf(comment, comment, FILE)).toBe("global_header")
    expect(await ruleOf(FILE, comment, FILE)).toBe("global_header")
    expect(await ruleOf(pax({ path: "b" }, "g"), FILE)).toBe("global_header")
  })

  it("are small", async () => {
    const large = await refusedBy(pax({ comment: "x".repeat(65_536) }), FILE)
    expect(large?.details).toMatchObject({ rule: "extended_header_bytes", max: 65_536 })
    expect(await ruleOf(pax({ comment: "x".repeat(65_000) }), FILE)).toBeNull()
    expect(await ruleOf(entry({ type: "L" }, "x".repeat(65_537)), FILE)).toBe("extended_header_bytes")
    expect(await ruleOf(pax({ comment: "x".repeat(4096) }, "g"), FILE)).toBe("extended_header_bytes")
    const keys = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, ""]))
    expect((await refusedBy(pax(keys), FILE))?.details).toMatchObject({ rule: "extended_header_records", max: 100 })
  })

  it.each([
    ["a size that the header does not have", [pax({ size: "0" }), FILE]],
    ["a size that is none", [pax({ size: "-1" }), FILE]],
    ["an empty path", [pax({ path: "" }), FILE]],
    ["a length that is too long", [entry({ type: "x" }, "99 a=b\n"), FILE]],
    ["no length", [entry({ type: "x" }, "a=b\n"), FILE]],
    ["nothing", [entry({ type: "x" }), FILE]],
    ["an entry behind the end", [FILE, END, FILE]],
    ["a size behind a zero", [entry({}, "x").fill(0, 124, 125)]],
    ["a binary size", [entry({}, "x").fill(0x80, 124, 125), FILE]]
  ])("say nothing that readers disagree on: %s", async (_what, parts) => {
    expect(await ruleOf(...parts)).toBe("format")
  })

  it("make nothing sparse, and no file of an old long name", async () => {
    for (const key of ["GNU.sparse.name", "GNU.sparse.realsize", "GNU.sparse.major", "SCHILY.realsize"])
      expect((await refusedBy(pax({ path: "GNUSparseFile.0/b", [key]: "1" }), FILE))?.details).toMatchObject({
        rule: "sparse"
      })
    expect(await ruleOf(entry({ type: "N" }, "name\0"), FILE)).toBe("type")
  })
})

it("passes a tar on as it came, at most 64 headers at once", async () => {
  const files = Buffer.concat([...Array.from({ length: 1000 }, () => entry({})), pax({ path: "b" }), FILE, END])
  const { parts } = await passedOn(files)
  expect(Buffer.concat(parts).equals(files)).toBe(true)
  expect(Math.max(...parts.map(({ length }) => length))).toBe(64 * BLOCK)
  const bytes: Array<Buffer> = []
  const single = Array.from(files.subarray(-8 * BLOCK), (byte) => Buffer.of(byte))
  for await (const part of walked(single)) bytes.push(part)
  expect(Buffer.concat(bytes).equals(files.subarray(-8 * BLOCK))).toBe(true)
})

const link = (name: string, target: string, type = "2"): Buffer => entry({ name, type, link: target })

describe("links are followed through those of the archive", () => {
  const folder = (name: string): Buffer => entry({ name, type: "5" })

  it.each([
    ["one that leads up and is gone through", [folder("d/"), link("d/l", ".."), link("m", "d/l/..")]],
    ["in any order", [folder("d/"), link("m", "d/l/.."), link("d/l", "..")]],
    ["over several", [folder("d/"), link("d/l", ".."), link("n", "d/l"), link("m", "n/x/../..")]],
    ["a hard link to a symbolic one", [folder("a/b/"), link("a/b/l", "../../x"), link("m", "a/b/l", "1")]]
  ])("%s", async (_what, parts) => {
    const refused = await refusedBy(...parts)
    expect(refused?.details).toMatchObject({ rule: "link_outside", entry: "m" })
    expect(refused?.message).toBe("A link leads out of the folder: m")
  })

  it("and may lead anywhere inside, also over others and in circles", async () => {
    const inside = [
      folder("releases/1/"),
      link("current", "releases/1"),
      link("bin", "current/bin"),
      link("up", "current/../1"),
      link("round", "round/x"),
      link("hard", "current", "1")
    ]
    expect(await judged(...inside)).toEqual({ files: 5, bytes: 0 })
    expect(await ruleOf(link("l", "d"), link("h", "l/x", "1"))).toBe("through_link")
  })

  it("at a bounded cost", async () => {
    const target = `${"d/".repeat(15)}${"../".repeat(15)}l`
    const deep = Array.from({ length: 40 }, (_, at) => link(`l${at}`, `${target}${at + 1}`))
    const many = Array.from({ length: 15_000 }, (_, at) => link(`m${at}`, "l0"))
    expect(await ruleOf(...deep, ...many)).toBe("links_work")
  })
})

describe("a refusal", () => {
  it("names the file as plain text, cut, and the limit", async () => {
    const odd = await refusedBy(pax({ path: "a\u001b[2J\u202eb" }), FILE)
    expect([odd?.message.endsWith(": a[2Jb"), odd?.details?.["entry"]]).toEqual([true, "a[2Jb"])
    const long = await refusedBy(pax({ path: "😀".repeat(300) }), FILE)
    expect(long?.details).toMatchObject({ rule: "name", entry: "😀".repeat(200), max: 1024 })
    const deep = await refusedBy(pax({ path: "d/".repeat(101) }), FILE)
    expect(deep?.details).toMatchObject({ rule: "name", max: 100 })
    const many = await refusedBy(...Array.from({ length: 20_001 }, () => entry({})))
    expect(many).toMatchObject({
      message: "The archive has too many entries (at most 20000): a",
      details: { rule: "entries_max", max: 20_000 }
    })
  })
})
