/** A folder of markdown as entries of the library: what is taken, and how each fault is told. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { entriesIn, entryOf } from "../../ops/cli/library-folder.ts"
import { ENTRIES_MAX } from "../../schemas/library/fields.ts"
import { testFolder } from "../harness/index.ts"

const MATTER = ["slug: one", "title: One", "kind: guide", "summary: The first."]
const file = (lines: ReadonlyArray<string> = MATTER, body = "Text.\n"): string =>
  `---\n${lines.join("\n")}\n---\n${body}`
const without = (name: string): ReadonlyArray<string> => MATTER.filter((line) => !line.startsWith(`${name}:`))
const read = (text: string | Uint8Array): unknown => entryOf(typeof text === "string" ? Buffer.from(text) : text)

const ONE = { slug: "one", title: "One", kind: "guide", language: null, summary: "The first.", body: "Text." }

test.each<[string, string, object]>([
  ["the least there can be", file(), ONE],
  ["a language", file([...MATTER, "language: Python"]), { ...ONE, language: "Python" }],
  ["an empty one, which is none", file([...MATTER, "language:"]), ONE],
  ["a colon in a value", file([...without("title"), "title: One: the first"]), { ...ONE, title: "One: the first" }],
  ["a value in quotes", file([...without("title"), 'title: "\\"One\\": ü"']), { ...ONE, title: '"One": ü' }],
  ["lines as Windows ends them", file(MATTER, "A\n\nB\n").replaceAll("\n", "\r\n"), { ...ONE, body: "A\n\nB" }],
  ["a mark of byte order", `\ufeff${file()}`, ONE],
  ["blank lines around", file(["", ...MATTER, ""], "\n\n  Text.  \n\n\n"), { ...ONE, body: "  Text." }],
  ["three dashes in the text", file(MATTER, "A\n\n---\n\nB"), { ...ONE, body: "A\n\n---\n\nB" }]
])("%s", (_what, text, entry) => {
  expect(read(text)).toEqual(entry)
})

test.each<[string, string | Uint8Array, string]>([
  ["no front matter", "# One\n", "front matter is missing"],
  ["front matter without an end", "---\nslug: one\n", "front matter is missing"],
  ["nothing at all", "", "front matter is missing"],
  ["a name that means nothing", file([...MATTER, "author: me"]), "front matter takes slug, title"],
  ["a line that is none", file([...MATTER, "hello"]), "front matter takes slug, title"],
  ["a list", file([...MATTER, "- a"]), "front matter takes slug, title"],
  ["a name twice", file([...MATTER, "title: Two"]), "title is given twice"],
  ["quotes without an end", file([...without("title"), 'title: "One']), "title begins with a quote"],
  ["no slug", file(without("slug")), "slug must be"],
  ["no title", file(without("title")), "title must be"],
  ["no kind", file(without("kind")), "kind must be one of guide, code, prompt, tool"],
  ["a kind that there is not", file([...without("kind"), "kind: poem"]), "kind must be one of"],
  ["no summary", file(without("summary")), "summary must be"],
  ["a language that is none", file([...MATTER, "language: <b>"]), "language must be"],
  ["no text", file(MATTER, "\n \n"), "body must be"],
  ["a text too long", file(MATTER, "x".repeat(100_001)), "body must be 1 to 100000"],
  ["bytes that are no text", Buffer.from([0x2d, 0xff]), "body is no UTF-8"]
])("%s is told", (_what, text, problem) => {
  expect(read(text)).toContain(problem)
})

test("whatever the bytes, it is an entry or one line that says what is wrong", () => {
  const word = fc.constantFrom("---\n", "slug:", " one\n", "title: x\n", "kind: tool\n", "summary: y\n", '"', ":", "\n")
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.array(word).map((words) => Buffer.from(words.join("")))
      ),
      (bytes) => {
        const told = entryOf(bytes)
        if (typeof told === "string") expect(told).toMatch(/^[^\n]+$/)
        else expect(told.body).toBe(told.body.trimEnd())
      }
    )
  )
})

const folderOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await testFolder("library")
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}
const faultOf = (folder: string): Promise<string> =>
  entriesIn(folder).then(
    () => "",
    (error: Error) => error.message
  )

test("a folder is read in the order of its names, and other files are none of ours", async () => {
  const two = file(["slug: two", ...without("slug")])
  const folder = await folderOf({ "b.md": file(), "a.md": two, "notes.txt": "x", ".gitignore": "x" })
  expect((await entriesIn(folder)).map(({ slug }) => slug)).toEqual(["two", "one"])
})

test("every bad file of a folder is named, with its field", async () => {
  const folder = await folderOf({ "a.md": file(without("title")), "b.md": file(), "c.md": "x", "d.md": file() })
  await mkdir(join(folder, "e.md"))
  const lines = (await faultOf(folder)).split("\n")
  expect(lines.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    "a.md: title",
    "c.md: front",
    "e.md: cannot",
    "d.md: slug"
  ])
  expect(lines[3]).toBe("d.md: slug is that of b.md: one")
})

test("what is no folder of entries is refused", async () => {
  expect(await faultOf("/nowhere/at/all")).toBe("/nowhere/at/all cannot be read: ENOENT")
  const empty = await folderOf({ "notes.txt": "x" })
  expect(await faultOf(empty)).toBe(`${empty} has no file whose name ends in .md`)
  const names = Array.from({ length: ENTRIES_MAX + 1 }, (_, index) => [`${index}.md`, "x"] as const)
  expect(await faultOf(await folderOf(Object.fromEntries(names)))).toContain(`${ENTRIES_MAX} is the most`)
  expect(await faultOf(await folderOf({ "long.md": file(MATTER, "x".repeat(500_000)) }))).toContain("long.md: body has")
})
