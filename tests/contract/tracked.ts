/**
 * The files that make up the project: those that git has, and new ones that it would take. A copy without its history
 * (or a machine without git) is walked instead, past what git would ignore, so that these tests say the same there.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { projectRoot } from "../../ops/launcher/paths.ts"

const NOT_OURS: ReadonlySet<string> = new Set([".git", "node_modules", ".hub", "dist", "scratch"])
const LIST_MAX_BYTES = 16 * 1024 * 1024

const fromGit = (): ReadonlyArray<string> | null => {
  if (!existsSync(join(projectRoot, ".git"))) return null
  try {
    const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: projectRoot,
      encoding: "utf8",
      maxBuffer: LIST_MAX_BYTES,
      stdio: ["ignore", "pipe", "ignore"]
    })
    return [...new Set(list.split("\0"))].filter((file) => file !== "")
  } catch {
    return null
  }
}

const walked = (folder = projectRoot): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name) && !name.endsWith(".log"))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? walked(path) : [relative(projectRoot, path)]
    })

/** Paths from the project's root. A file that is being removed is no longer one. */
export const trackedFiles = (): ReadonlyArray<string> =>
  (fromGit() ?? walked()).filter((file) => existsSync(join(projectRoot, file)))

export const textOf = (file: string): string => readFileSync(join(projectRoot, file), "utf8")
