/**
 * Finds a Python with PyNaCl and a Go with its sealed boxes for the tests of `/docs/seal`, or installs Debian's.
 *
 * Python: `python3` on PATH, then Debian's own. Go: `go` on PATH with the packages that Debian keeps in `GOPATH`.
 */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type DebianOptions, installPackages } from "./debian.ts"
import { LaunchFault } from "./fault.ts"

const run = promisify(execFile)

const TIMEOUT_MS = 180_000
const PYTHONS = ["python3", "/usr/bin/python3"] as const
const PACKAGES = { python: ["python3", "python3-nacl"], go: ["golang-go", "golang-golang-x-crypto-dev"] } as const
/** Settings with which `go` finds Debian's Go packages, which are not modules. */
const GO_ENV = { GO111MODULE: "off", GOPATH: "/usr/share/gocode", GOFLAGS: "" } as const

export interface Languages {
  /** The program: a name on PATH, or a path. */
  readonly python: string
  /** Variables for `go`, to be added to its environment. The caller sets `GOCACHE`. */
  readonly goEnv: Readonly<Record<string, string>>
}

const succeeds = (program: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<boolean> =>
  run(program, args, { env, timeout: TIMEOUT_MS }).then(
    () => true,
    () => false
  )

const pythonOf = async (env: NodeJS.ProcessEnv): Promise<string | undefined> => {
  for (const program of PYTHONS) if (await succeeds(program, ["-c", "import nacl.public"], env)) return program
  return undefined
}

/** True if `go list` finds the package. It is not compiled. */
const hasGo = async (env: NodeJS.ProcessEnv): Promise<boolean> => {
  const folder = await mkdtemp(join(tmpdir(), "hub-go-"))
  try {
    await writeFile(
      join(folder, "main.go"),
      'package main\n\nimport _ "golang.org/x/crypto/nacl/box"\n\nfunc main() {}\n'
    )
    return await succeeds("go", ["list", "-deps", join(folder, "main.go")], { ...env, ...GO_ENV, GOCACHE: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const wanted = (packages: ReadonlyArray<string>, what: string, remark: string) => ({
  packages,
  what,
  purpose: "the tests of sealed entries",
  remark,
  hint: `install ${what} (on Debian, as root: apt-get install ${packages.join(" ")})`
})

export async function findLanguages(options: DebianOptions): Promise<Languages> {
  const { env } = options
  if ((await pythonOf(env)) === undefined)
    await installPackages(wanted(PACKAGES.python, "Python with PyNaCl", "about 1 MB, once"), options)
  const python = await pythonOf(env)
  if (python === undefined)
    throw new LaunchFault(`${PACKAGES.python.join(" ")} were installed, but no python3 has PyNaCl`)
  if (!(await hasGo(env))) await installPackages(wanted(PACKAGES.go, "Go with x/crypto", "about 60 MB, once"), options)
  if (!(await hasGo(env)))
    throw new LaunchFault(`${PACKAGES.go.join(" ")} were installed, but go does not find x/crypto`)
  return { python, goEnv: GO_ENV }
}
