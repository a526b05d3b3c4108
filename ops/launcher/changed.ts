/**
 * Lists the files for `npm test -- --changed`: those that differ from the last commit. If there are none, those that
 * the last commit changed.
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isSource } from "./tests-of.ts"

export const isTestFile = (path: string): boolean => /^tests\/.*\.test\.ts$/.test(path)

const listed = (folder: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", args, { cwd: folder, encoding: "utf8" })
    .split("\0")
    .filter((path) => (isSource(path) || isTestFile(path)) && existsSync(join(folder, path)))

/** The changed sources and tests, as paths relative to the project. Throws if git or its repository is missing. */
export const changedFiles = (folder: string): ReadonlyArray<string> => {
  const edited = [
    ...listed(folder, "diff", "--name-only", "-z", "HEAD"),
    ...listed(folder, "ls-files", "--others", "--exclude-standard", "-z")
  ]
  if (edited.length > 0) return edited
  return listed(folder, "diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", "HEAD")
}
