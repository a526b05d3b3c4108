/** Archives for compartments, as a hostile client makes them: judged by what they hold, with bounds on what that costs. */
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import { pack } from "tar-stream"
import { describe, expect, it } from "vitest"
import { judgeArchive } from "../../edge/compartment/archive.ts"
import type { ArchiveRule } from "../../edge/compartment/archive-rules.ts"
import { LIMITS } from "../../schemas/limits.ts"

interface Entry {
  readonly name: string
  readonly type?:
    | "file"
    | "directory"
    | "symlink"
    | "link"
    | "fifo"
    | "character-device"
    | "block-device"
    | "contiguous-file"
  readonly linkname?: string
  readonly data?: Buffer | string
}

const MIB = 1_048_576

const tarOf = async (entries: ReadonlyArray<Entry>): Promise<Buffer> => {
  const tar = pack()
  for (const { name, type = "file", linkname, data = "x" } of entries) {
    const header = { name, type, ...(linkname === undefined ? {} : { linkname }) }
    tar.entry(header, type === "file" || type === "contiguous-file" ? data : "")
  }
  tar.finalize()
  const parts: Array<Buffer> = []
  for await (const part of tar) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** As the product's, with what is unpacked bounded lower: the same in less time. */
const SMALL = { ...LIMITS.runtime, archive_unpacked_max_bytes: 2 * MIB }

const judged = async (entries: ReadonlyArray<Entry>, bounds: typeof SMALL = SMALL) =>
  judgeArchive(gzipSync(await tarOf(entries)), bounds)
const ruleOf = (found: Awaited<ReturnType<typeof judgeArchive>>): unknown =>
  "refused" in found ? found.refused.details?.["rule"] : null

describe("what is taken", () => {
  it("is files, folders, and links that stay inside", async () => {
    expect(
      await judged([
        { name: "a/", type: "directory" },
        { name: "a/b.txt", data: "hello" },
        { name: "./a/c.txt", data: "" },
        { name: "a/d", type: "symlink", linkname: "../a/b.txt" },
        { name: "e", type: "link", linkname: "a/b.txt" },
        { name: "name with spaces é ✓", data: "x" }
      ])
    ).toEqual({ files: 5, bytes: 6 })
  })

  it("has at most 20,000 entries, of so many bytes together", async () => {
    const many = Array.from({ length: LIMITS.runtime.archive_entries_max }, (_, at) => ({ name: `f${at}`, data: "" }))
    expect(await judged(many)).toEqual({ files: 20_000, bytes: 0 })
    expect(ruleOf(await judged([...many, { name: "one-more", data: "" }]))).toBe("entries_max")
    expect(LIMITS.runtime.archive_unpacked_max_bytes).toBe(200 * MIB)
    const large = { name: "large", data: Buffer.alloc(SMALL.archive_unpacked_max_bytes) }
    expect(await judged([large], SMALL)).toEqual({ files: 1, bytes: large.data.length })
    expect(ruleOf(await judged([large, { name: "more", data: "x" }], SMALL))).toBe("unpacked_max")
  })
})

const hostile: ReadonlyArray<readonly [ArchiveRule, string, ReadonlyArray<Entry>]> = [
  ["absolute_path", "an absolute path", [{ name: "/etc/passwd" }]],
  ["dot_dot", "a way up", [{ name: "../x" }]],
  ["dot_dot", "a way up in the middle", [{ name: "a/../../x" }]],
  ["name", "a line break in a name", [{ name: "a\nb" }]],
  ["name", "an escape in a name", [{ name: "a\u001b[2Jb" }]],
  ["name", "a name of 300 characters", [{ name: "x".repeat(300) }]],
  ["link_outside", "a symbolic link to an absolute path", [{ name: "a", type: "symlink", linkname: "/etc/passwd" }]],
  ["link_outside", "a symbolic link upwards", [{ name: "a/b", type: "symlink", linkname: "../../x" }]],
  ["link_outside", "a hard link upwards", [{ name: "a/b", type: "link", linkname: "../x" }]],
  ["link_outside", "a link to nothing", [{ name: "a", type: "symlink", linkname: "" }]],
  ["through_link", "a file behind a link", [{ name: "a", type: "symlink", linkname: "b" }, { name: "a/x" }]],
  [
    "through_link",
    "a link behind a link that leads on",
    [
      { name: "d/", type: "directory" },
      { name: "d/l", type: "symlink", linkname: "." },
      { name: "d/l/m", type: "symlink", linkname: "x" }
    ]
  ],
  ["device", "a character device", [{ name: "null", type: "character-device" }]],
  ["device", "a block device", [{ name: "sda", type: "block-device" }]],
  ["device", "a pipe", [{ name: "pipe", type: "fifo" }]],
  ["empty", "nothing", []]
]

it.each(hostile)("%s: %s", async (rule, _what, entries) => {
  expect(ruleOf(await judged(entries))).toBe(rule)
})

/** The header of an entry that is changed after it was made, with its checksum put right. */
const forged = async (change: (header: Buffer) => void): Promise<Buffer> => {
  const tar = await tarOf([{ name: "a", data: "x".repeat(600) }])
  change(tar)
  tar.fill(" ", 148, 156)
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  tar.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return gzipSync(tar)
}

describe("what is no archive", () => {
  it.each([
    ["text", Buffer.from("hello")],
    ["nothing", Buffer.alloc(0)],
    ["a gzip of text", gzipSync("hello".repeat(1000))],
    ["a tar without gzip", Buffer.alloc(2048)],
    ["a gzip that breaks off", gzipSync(Buffer.alloc(100_000, 1)).subarray(0, 40)]
  ])("%s", async (_what, body) => {
    expect(["format", "empty"]).toContain(ruleOf(await judgeArchive(body, LIMITS.runtime)))
  })

  it("an entry of GNU's sparse kind, and one of no kind", async () => {
    for (const flag of ["S", "M", "V", "Z"])
      expect(ruleOf(await judgeArchive(await forged((header) => header.write(flag, 156)), LIMITS.runtime))).toBe("type")
  })

  it("what only files have, of a folder or a link: nobody waits for it, and nothing is hidden there", async () => {
    for (const flag of ["5", "1", "2"])
      expect(ruleOf(await judgeArchive(await forged((header) => header.write(flag, 156)), LIMITS.runtime))).toBe(
        "format"
      )
    const waits = await forged((header) => {
      header.write("5", 156)
      header.write("00000001000\0", 124)
    })
    expect(ruleOf(await judgeArchive(waits, LIMITS.runtime))).toBe("format")
  })

  it("one that says it is larger than it is, or as large as can be", async () => {
    const huge = await forged((header) => header.write("77777777777\0", 124))
    expect(ruleOf(await judgeArchive(huge, LIMITS.runtime))).toBe("unpacked_max")
    const short = await forged((header) => header.write("00000010000\0", 124))
    expect(ruleOf(await judgeArchive(short, LIMITS.runtime))).toBe("format")
  })
})

it("a bomb costs what the bounds allow", async () => {
  const entries = Array.from({ length: 5 }, (_, at) => ({ name: `z${at}`, data: Buffer.alloc(MIB) }))
  const bomb = gzipSync(await tarOf(entries))
  expect(bomb.length).toBeLessThan(MIB)
  expect(ruleOf(await judgeArchive(bomb, SMALL))).toBe("unpacked_max")
  // Behind the end of the archive nobody looks for entries: what is unpacked there counts all the same.
  const tail = gzipSync(Buffer.concat([await tarOf([{ name: "a" }]), Buffer.alloc(40 * MIB)]))
  expect(ruleOf(await judgeArchive(tail, SMALL))).toBe("unpacked_max")
})

it("whatever bytes come, it is told what is wrong with them, and nothing breaks", async () => {
  const good = await tarOf([
    { name: "a/b", data: "hello" },
    { name: "c", type: "symlink", linkname: "a/b" }
  ])
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 12 }), async (changes) => {
      const bytes = Buffer.from(good)
      for (const [at, value] of changes) bytes[at] = value
      const found = await judgeArchive(gzipSync(bytes), LIMITS.runtime)
      expect("refused" in found ? found.refused.code : "taken").toMatch(/^(archive_invalid|taken)$/)
    }),
    { numRuns: 500 }
  )
})
