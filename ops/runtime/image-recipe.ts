/**
 * The recipe of the image of compartments, as data: packages, files and cuts, and a hash of all of it by which the
 * wanted image is recognized.
 *
 * The hash covers the names of Debian's packages, not their versions. `--fresh` makes the image again with newer
 * versions.
 */
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { projectRoot } from "../launcher/paths.ts"
import { VERSION } from "../../schemas/version.ts"

export const SUITE = "trixie"
/** The label of an image that holds the hash. */
export const INGREDIENTS_LABEL = "hub.ingredients"

const BASE = ["bash", "ca-certificates", "coreutils", "curl", "git", "gzip", "jq", "less", "procps", "tar"]
const PYTHON = ["python3", "python3-pip", "python3-venv"]
const BROWSER = ["chromium", "fonts-liberation", "fonts-noto-core"]

export const packagesOf = (small: boolean): ReadonlyArray<string> => [...BASE, ...PYTHON, ...(small ? [] : BROWSER)]

/** Folders that nobody reads in a container, so that dpkg does not unpack them. */
export const NOT_UNPACKED: ReadonlyArray<string> = ["doc", "man", "info", "locale", "lintian", "bug"].map(
  (name) => `/usr/share/${name}/*`
)

/**
 * Shell patterns of files that are removed. The first seven are files that Chromium's dependencies install for a screen
 * and its hardware, two hundred megabytes. Chromium uses its own software renderer and needs none of them.
 */
export const CUT: ReadonlyArray<string> = [
  "usr/lib/*/libLLVM*",
  "usr/lib/*/libgallium*",
  "usr/lib/*/libz3.so*",
  "usr/lib/*/dri/*",
  "usr/lib/chromium/libVkLayer_*",
  "usr/share/icons/*",
  "usr/share/gtk-3.0/*",
  // Debian's marker that pip must not install anything. In this image pip breaks nothing of Debian's.
  "usr/lib/python3*/EXTERNALLY-MANAGED",
  "var/cache/*",
  "var/lib/apt/lists/*",
  "var/log/*"
]

export interface User {
  readonly name: string
  readonly uid: number
  readonly home: string
  readonly shell: string
}

/** The user for programs, and the user of the fill service, whose memory programs must not read. */
export const USERS: ReadonlyArray<User> = [
  { name: "agent", uid: 1000, home: "/data", shell: "/bin/bash" },
  { name: "fill", uid: 1001, home: "/nonexistent", shell: "/usr/sbin/nologin" }
]

const PROFILE = `# For every login shell of a compartment.
export PATH=/data/.local/bin:/usr/local/bin:/usr/bin:/bin
export LANG=C.UTF-8
export NPM_CONFIG_PREFIX=/data/.local
umask 022
if [ -n "\${PS1-}" ]; then PS1='\\u:\\w\\$ '; fi
`

/** Chromium's own sandbox needs rights that a container does not have, and `/dev/shm` is smaller than `/tmp`. */
const CHROMIUM_FLAGS = `# The compartment is the sandbox: inside of it Chromium cannot make one of its own.
export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --no-sandbox --disable-dev-shm-usage --no-first-run"
`

const FILL = `#!/bin/sh
# No core dump may hold a secret.
ulimit -c 0
exec /usr/local/bin/node --no-warnings /usr/local/lib/hub-fill/main.js "$@"
`

export interface WrittenFile {
  readonly path: string
  readonly mode: number
  readonly text: string
}

export const filesOf = (small: boolean): ReadonlyArray<WrittenFile> => [
  { path: "etc/profile", mode: 0o644, text: PROFILE },
  { path: "usr/local/bin/hub-fill", mode: 0o755, text: FILL },
  ...(small ? [] : [{ path: "etc/chromium.d/compartment", mode: 0o644, text: CHROMIUM_FLAGS }])
]

/** Sources that become part of the image, or decide how it is made. */
const SOURCES = [
  "edge/fill",
  "edge/sdk",
  "schemas",
  "ops/kit",
  "ops/runtime/fill-bundle.ts",
  "ops/runtime/image-recipe.ts",
  "ops/runtime/image-root.ts",
  "package-lock.json"
]

const filesBelow = async (path: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(join(projectRoot, path), { recursive: true, withFileTypes: true }).catch(() => null)
  if (entries === null) return [join(projectRoot, path)]
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** `more` has other things that the image depends on, such as npm's version. */
export const ingredientsOf = async (small: boolean, more: ReadonlyArray<string>): Promise<string> => {
  const hash = createHash("sha256").update(JSON.stringify([VERSION, process.arch, small, packagesOf(small), more]))
  const files = (await Promise.all(SOURCES.map(filesBelow))).flat().toSorted()
  for (const file of files) hash.update(`${file.slice(projectRoot.length)}\0`).update(await readFile(file))
  return hash.digest("hex")
}
