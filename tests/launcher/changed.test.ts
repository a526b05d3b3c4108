/** `npm test -- --changed` names what differs from the last commit, or what that commit changed. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { changedFiles } from "../../ops/launcher/changed.ts"

const [FORM, SHAPE] = ["edge/http/form.ts", "edge/http/shape.ts"]
const TEST = "tests/api/thread.test.ts"
let folder = ""

const git = (...args: ReadonlyArray<string>): void => {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], { cwd: folder, stdio: "ignore" })
}
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hub-changed-"))
  git("init", "--quiet")
  write(FORM, "1")
  write("README.md", "1")
  git("add", ".")
  git("commit", "--quiet", "-m", "first")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("the files of the last commit if nothing differs from it, else those that differ", () => {
  expect(changedFiles(folder)).toEqual([FORM])
  write("README.md", "2")
  expect(changedFiles(folder)).toEqual([FORM])
  write(SHAPE, "1")
  write(TEST, "1")
  expect(changedFiles(folder).toSorted()).toEqual([SHAPE, TEST])
  git("add", ".")
  git("commit", "--quiet", "-m", "second")
  expect(changedFiles(folder).toSorted()).toEqual([SHAPE, TEST])
  write(FORM, "2")
  rmSync(join(folder, TEST))
  expect(changedFiles(folder)).toEqual([FORM])
})
