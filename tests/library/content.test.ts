/** The library that a new service begins with: every entry by itself, and all of them together. */
import { readdir } from "node:fs/promises"
import { expect, test } from "vitest"
import { entriesIn } from "../../ops/cli/library-folder.ts"
import { STARTER_LIBRARY } from "../../ops/launcher/starter-library.ts"
import { LIMITS } from "../../schemas/limits.ts"
import vectors from "../vectors/request-signing.json" with { type: "json" }
import { blocksOf } from "./blocks.ts"

const entries = await entriesIn(STARTER_LIBRARY)
const slugs = new Set(entries.map(({ slug }) => slug))
const [known] = vectors.requests

test("there are enough of each kind, and each file is named by its slug", async () => {
  expect(entries.length).toBeGreaterThanOrEqual(15)
  expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(["guide", "code", "prompt", "tool"]))
  expect((await readdir(STARTER_LIBRARY)).toSorted()).toEqual([...slugs].map((slug) => `${slug}.md`).toSorted())
})

test("they go over the bus at once, with room for as many again", () => {
  expect(Buffer.byteLength(JSON.stringify({ entries }))).toBeLessThan(LIMITS.service.max_frame_bytes / 2)
})

test.each(entries)("$slug leads only to what is there, and has no heading as high as its title", ({ body }) => {
  const targets = [...body.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "")
  expect(targets.filter((target) => !slugs.has(target))).toEqual([])
  expect(body.replace(/^```[\s\S]*?^```$/gm, "")).not.toMatch(/^# /m)
})

test("every program has a name of its own, so that it can be saved, and be run here", () => {
  const blocks = entries.flatMap(blocksOf)
  const named = blocks.flatMap(({ name }) => (name === null ? [] : [name]))
  expect(new Set(named).size).toBe(named.length)
  expect(blocks.filter(({ name }) => name === null).map(({ language }) => language)).toEqual(["text", "text"])
})

test("the known signature is the one that the service itself is tested with", () => {
  const text = (name: string) =>
    entries
      .flatMap(blocksOf)
      .find((block) => block.name === name)
      ?.text.trimEnd()
  expect([text("known-lines"), text("known-signature")]).toEqual([known?.string_to_sign, known?.signature])
  const seed = Buffer.from(vectors.seed, "base64").toString("hex")
  expect(entries.find(({ slug }) => slug === "signature-faults")?.body).toContain(seed)
})

test("nothing of the machine that it was written on", () => {
  for (const { slug, body } of entries)
    expect(body, slug).not.toMatch(/\/(work|root|home|Users)\/|localhost|npmjs|crates\.io|pypi/)
})
