/**
 * Makes the files of the image in a folder: installs Debian by its own tools, adds the hub's files, and removes files
 * that are not needed.
 *
 * Debian's tools run in separate namespaces. However they end, they leave no process and no mount behind.
 */
import { appendFile, chmod, chown, cp, glob, mkdir, rm, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { buildKit } from "../kit/build.ts"
import { debianMirrors } from "../launcher/debian-archive.ts"
import { LaunchFault } from "../launcher/fault.ts"
import { projectRoot } from "../launcher/paths.ts"
import { runCommand } from "./command.ts"
import { writeFill } from "./fill-bundle.ts"
import { CUT, filesOf, NOT_UNPACKED, packagesOf, SUITE, USERS } from "./image-recipe.ts"
import type { Npm } from "./npm-folder.ts"

const DEBIAN_TIMEOUT_MS = 30 * 60_000
const FIND_TIMEOUT_MS = 60_000
const MODULES = "usr/local/lib/node_modules"

export interface RootOptions {
  /** An empty folder that only this process uses. */
  readonly work: string
  readonly small: boolean
  readonly npm: Npm | null
  readonly progress: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** The mirrors of this machine, with the suite of the image. */
const sources = async (): Promise<string> => {
  const [main] = await debianMirrors().catch(() => [])
  const [security] = await debianMirrors("debian-security").catch(() => [])
  if (main === undefined)
    throw new LaunchFault("the image is made of Debian's packages: this machine's apt names no mirror of Debian")
  const { site } = main
  return [
    `deb ${site} ${SUITE} main`,
    `deb ${site} ${SUITE}-updates main`,
    ...(security === undefined ? [] : [`deb ${security.site} ${SUITE}-security main`]),
    ""
  ].join("\n")
}

const debianArguments = (root: string, small: boolean): ReadonlyArray<string> => [
  "mmdebstrap",
  "--mode=root",
  "--variant=minbase",
  "--format=directory",
  `--include=${packagesOf(small).join(",")}`,
  "--dpkgopt=force-unsafe-io",
  ...NOT_UNPACKED.map((pattern) => `--dpkgopt=path-exclude=${pattern}`),
  SUITE,
  root,
  "-"
]

/**
 * Options with which setpriv runs a program in separate namespaces. All processes there end with the first of them,
 * which ends with this process.
 */
const ALONE = ["--pdeathsig", "SIGKILL", "--", "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]

const unpackDebian = async (root: string, { small, progress, signal }: RootOptions): Promise<void> =>
  runCommand({
    program: "setpriv",
    args: [...ALONE, "--propagation", "private", "--", ...debianArguments(root, small)],
    env: { ...process.env, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
    input: await sources(),
    timeoutMs: DEBIAN_TIMEOUT_MS,
    signal,
    onLine: (line) => {
      if (/^I: (downloading|extracting|installing)/.test(line)) progress(`image: ${line.slice(3)}`)
    }
  })

const addNode = async (root: string, npm: Npm | null): Promise<void> => {
  const node = join(projectRoot, "node_modules", `node-linux-${process.arch}`, "bin", "node")
  const bin = join(root, "usr/local/bin")
  await cp(node, join(bin, "node"))
  if (npm === null) return
  await cp(npm.folder, join(root, MODULES, "npm"), { recursive: true, dereference: true })
  for (const name of ["npm", "npx"]) await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name))
}

/**
 * Node looks for a module in the folders above the importing file. With the link at the root every file finds the kit.
 */
const addKit = async (root: string, work: string): Promise<void> => {
  const kit = join(work, "kit")
  await buildKit(kit)
  for (const name of ["hub-kit", "hub-agent"]) await cp(join(kit, name), join(root, MODULES, name), { recursive: true })
  await symlink("../lib/node_modules/hub-agent/hub-agent.js", join(root, "usr/local/bin/hub-agent"))
  await symlink(MODULES, join(root, "node_modules"))
}

const addUsers = async (root: string): Promise<void> => {
  for (const { name, uid, home, shell } of USERS) {
    await appendFile(join(root, "etc/passwd"), `${name}:x:${uid}:${uid}::${home}:${shell}\n`)
    await appendFile(join(root, "etc/group"), `${name}:x:${uid}:\n`)
    // The account has no password that could be entered.
    await appendFile(join(root, "etc/shadow"), `${name}:!:1::::::\n`)
  }
}

const addFiles = async (root: string, small: boolean): Promise<void> => {
  for (const { path, mode, text } of filesOf(small)) {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    await chmod(file, mode)
  }
  // The folders on which the host mounts a compartment's own files.
  for (const folder of ["data", "data/work", "run/hub"]) await mkdir(join(root, folder), { recursive: true })
  for (const folder of ["data", "data/work"]) await chown(join(root, folder), 1000, 1000)
  await writeFile(join(root, "etc/hostname"), "compartment\n")
}

const cut = async (root: string): Promise<void> => {
  for (const pattern of CUT)
    for await (const name of glob(pattern, { cwd: root })) await rm(join(root, name), { recursive: true, force: true })
}

/** Removes setuid bits, so that no program can become another user. */
const dropSetuid = (root: string): Promise<void> =>
  runCommand({
    program: "find",
    args: [root, "-xdev", "-not", "-type", "l", "-perm", "/6000", "-exec", "chmod", "a-s", "{}", "+"],
    timeoutMs: FIND_TIMEOUT_MS
  })

/** Resolves with the folder. */
export const makeRoot = async (options: RootOptions): Promise<string> => {
  const { work, small, npm, progress, signal } = options
  const root = join(work, "root")
  await unpackDebian(root, options)
  signal?.throwIfAborted()
  progress("image: adding Node, the kit and the fill service")
  await addNode(root, npm)
  await addKit(root, work)
  await writeFill(join(root, "usr/local/lib/hub-fill"))
  await addFiles(root, small)
  await addUsers(root)
  await cut(root)
  await dropSetuid(root)
  return root
}
