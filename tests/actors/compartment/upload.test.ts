/** Where files come into a compartment: its host applies whatever edges take, and refuses what they refuse. */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type Docker from "dockerode"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { applyUpload, SCRIPT } from "../../../actors/runtime/host/upload.ts"
import { destOf } from "../../../schemas/compartment/fields.ts"

const TAKEN = [
  ["", ""],
  ["./app//x/", "app/x"],
  ["größe/日本", "größe/日本"],
  ["a*/[b] $(c) 'd'", "a*/[b] $(c) 'd'"],
  ["-n", "-n"],
  ["d/".repeat(32), "d/".repeat(31) + "d"]
] as const

const REFUSED = [
  "/etc",
  "..",
  "a/../b",
  "a\\b",
  "a\0",
  "a\nb",
  "a\u2028b",
  "a\u202eb",
  "a\ufffd",
  "a\ud800",
  ".hub-upload-1",
  "a/.hub-upload-x/b",
  "d/".repeat(33),
  "ä".repeat(128),
  "x/".repeat(251)
]

/** An engine that would be asked to run something. */
const asked = new Error("asked")
const container = {
  exec: () => Promise.reject(asked),
  inspect: () => Promise.resolve({ State: { Running: true } })
} as unknown as Docker.Container

describe("a folder below /data/work", () => {
  it.each(TAKEN)("is taken by edge and host: %j", async (text, stored) => {
    expect(destOf(text)).toBe(stored)
    await expect(applyUpload(container, { id: "1", dest: stored, file: import.meta.filename })).rejects.toThrow()
  })

  it.each(REFUSED)("is refused by both: %j", async (text) => {
    expect(destOf(text)).toBeNull()
    expect(await applyUpload(container, { id: "1", dest: text, file: import.meta.filename })).toEqual({
      ok: false,
      why: "the folder's name is refused"
    })
  })
})

describe("the script of the container", () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "upload-"))
    await mkdir(join(root, "work"))
    await mkdir(join(root, "from"))
    await writeFile(join(root, "from", "a.txt"), "hello")
  })
  afterEach(() => rm(root, { recursive: true }))

  const apply = async (dest: string): Promise<number> => {
    const script = SCRIPT.replaceAll("/data/work", join(root, "work"))
    const pack = `tar -czf - -C "$0" . | bash -c "$1" apply "$2" 7`
    return new Promise((resolve) => {
      const argv = ["-o", "pipefail", "-c", pack, join(root, "from"), script, dest === "" ? "." : dest]
      execFile("/bin/bash", argv, (error) => resolve(error === null ? 0 : Number(error.code)))
    })
  }

  it.each(TAKEN)("puts files there by their very names: %j", async (_text, dest) => {
    // What a pattern would find in the place of its own name.
    await writeFile(join(root, "work", "ab"), "")
    expect(await apply(dest)).toBe(0)
    expect(await readFile(join(root, "work", dest, "a.txt"), "utf8")).toBe("hello")
  })

  it("goes over no link", async () => {
    await symlink(root, join(root, "work", "größe"))
    expect(await apply("größe/日本")).toBe(1)
  })
})
