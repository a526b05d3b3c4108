/**
 * The image for compartments: Debian with Python, git, a browser, Node, the kit and the fill service. No registry is
 * used; it is made on the host (image-root.ts) and imported into the engine.
 *
 * This file is also a command, `node ops/runtime/image.ts [--small] [--fresh]`. With `--small` the image has no
 * browser, for tests. With `--fresh` it is made again even if its ingredients have not changed, because Debian's
 * packages may be newer.
 *
 * Invariants
 *  - It is made again only if its ingredients have changed. A label of the image has their hash.
 *  - If several callers need it, one makes it. An interrupted build leaves nothing that the next one does not remove.
 *  - An operator's own image is used without changes, by the name that the configuration gives.
 */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { LaunchFault, messageOf } from "../launcher/fault.ts"
import { DEFAULT_IMAGE } from "../../schemas/compartment/settings.ts"
import { startCommand } from "./command.ts"
import { clientOf } from "./engine-client.ts"
import { INGREDIENTS_LABEL, ingredientsOf } from "./image-recipe.ts"
import { makeRoot } from "./image-root.ts"
import { withLock } from "./lock.ts"
import { npmFolder } from "./npm-folder.ts"

const LOCK_WAIT_MS = 60 * 60_000
const IMPORT_TIMEOUT_MS = 15 * 60_000
const USUAL_UMASK = 0o022
const ENVIRONMENT = "ENV PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8"

export interface ImageOptions {
  readonly socket: string
  /** The folder in which the image is built. It needs enough space and must not be shared. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly progress: (line: string) => void
  readonly small?: boolean
  readonly fresh?: boolean
  readonly signal?: AbortSignal | undefined
}

export interface Image {
  readonly name: string
  /** `false` if the image existed already. */
  readonly made: boolean
}

export const imageName = (env: NodeJS.ProcessEnv, small = false): string => {
  const given = env["HUB_RUNTIME_IMAGE"]?.trim() ?? ""
  const name = given === "" ? DEFAULT_IMAGE : given
  // A colon before a slash is a port's.
  const isTagged = name.lastIndexOf(":") > name.lastIndexOf("/")
  return `${isTagged ? name : `${name}:latest`}${small ? "-small" : ""}`
}

interface FoundImage {
  readonly id: string
  /** `null` for an image that is not ours. */
  readonly ingredients: string | null
}

const imageAt = async (socket: string, name: string): Promise<FoundImage | null> => {
  const found = await clientOf(socket)
    .getImage(name)
    .inspect()
    .catch((cause: { readonly statusCode?: number }) => {
      if (cause.statusCode === 404) return null
      throw cause
    })
  return found === null ? null : { id: found.Id, ingredients: found.Config.Labels?.[INGREDIENTS_LABEL] ?? null }
}

const serves = (found: FoundImage | null, wanted: ReadonlyArray<string>): boolean =>
  found !== null && (found.ingredients === null || wanted.includes(found.ingredients))

/** Reads the answer to its end, because the engine reports problems there. */
const drained = async (answer: NodeJS.ReadableStream): Promise<void> => {
  let text = ""
  for await (const chunk of answer) text = (text + String(chunk)).slice(-4_000)
  const problem = /"error":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
  if (problem !== undefined) throw new LaunchFault(`the engine does not take the image: ${problem}`)
}

/** The image is imported while it is packed, so that no second copy is on the disk. */
const importRoot = async (root: string, name: string, ingredients: string, options: ImageOptions): Promise<void> => {
  const { socket, signal } = options
  const tar = startCommand({
    program: "tar",
    args: ["--create", "--numeric-owner", "--one-file-system", "--directory", root, "."],
    timeoutMs: IMPORT_TIMEOUT_MS,
    signal
  })
  const colon = name.lastIndexOf(":")
  const changes = [`LABEL ${INGREDIENTS_LABEL}=${ingredients}`, ENVIRONMENT, "USER 1000:1000"]
  const answer = await clientOf(socket, IMPORT_TIMEOUT_MS).importImage(tar.output, {
    repo: name.slice(0, colon),
    tag: name.slice(colon + 1),
    changes
  })
  await drained(answer)
  await tar.ended
}

/** Removes the files of an earlier process that could not clean up. This process holds the lock. */
const clean = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder))
    if (name.startsWith("making-")) await rm(join(folder, name), { recursive: true, force: true })
}

const make = async (name: string, ingredients: string, options: ImageOptions): Promise<void> => {
  const { folder, env, progress, signal, small = false } = options
  const ours = process.umask(USUAL_UMASK)
  await clean(folder)
  const work = await mkdtemp(join(folder, "making-"))
  try {
    const root = await makeRoot({ work, small, npm: await npmFolder(env), progress, signal })
    progress(`image: handing ${name} to the engine`)
    await importRoot(root, name, ingredients, options)
  } finally {
    process.umask(ours)
    await rm(work, { recursive: true, force: true })
  }
}

/** Removes the earlier image if no container uses it. */
const forget = async (socket: string, id: string): Promise<void> => {
  await clientOf(socket)
    .getImage(id)
    .remove()
    .catch(() => undefined)
}

/** Throws a LaunchFault of one line if the image cannot be made. */
export const buildImage = async (options: ImageOptions): Promise<Image> => {
  const { socket, folder, env, progress, signal, small = false, fresh = false } = options
  const name = imageName(env, small)
  const npm = await npmFolder(env)
  const more = [npm?.version ?? "no npm"]
  const ingredients = await ingredientsOf(small, more)
  // A small image under this name is accepted too.
  const wanted = [ingredients, await ingredientsOf(true, more)]
  if (!fresh && serves(await imageAt(socket, name), wanted)) return { name, made: false }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = { waitMs: LOCK_WAIT_MS, what: "the making of the image", signal }
  return withLock(join(folder, "lock"), lock, async () => {
    const before = await imageAt(socket, name)
    if (!fresh && serves(before, wanted)) return { name, made: false }
    progress(`making the image ${name} (some minutes, once)`)
    await make(name, ingredients, options)
    const after = await imageAt(socket, name)
    if (after?.ingredients !== ingredients) throw new LaunchFault(`the engine has not kept the image ${name}`)
    if (before !== null && before.id !== after.id) await forget(socket, before.id)
    return { name, made: true }
  })
}

const main = async (args: ReadonlyArray<string>): Promise<void> => {
  const { dataFolder } = await import("../launcher/paths.ts")
  const { engineFor } = await import("./engine.ts")
  const { ensurePrograms, requireRoot } = await import("./programs.ts")
  const { placesOf } = await import("./places.ts")
  const interrupted = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort())
  const dataDir = dataFolder(process.env)
  const progress = (line: string): void => void process.stderr.write(`${line}\n`)
  const common = { env: process.env, progress, signal: interrupted.signal }
  requireRoot()
  await ensurePrograms(common)
  const { socket } = await engineFor({ dataDir, ...common })
  const folder = placesOf(dataDir).image
  const began = performance.now()
  const { name, made } = await buildImage({
    socket,
    folder,
    small: args.includes("--small"),
    fresh: args.includes("--fresh"),
    ...common
  })
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(`${name} ${made ? `was made in ${seconds} s` : "was there"}\n`)
}

if (import.meta.main)
  main(process.argv.slice(2)).catch((cause: unknown) => {
    process.stderr.write(`hub: ${cause instanceof LaunchFault ? cause.message : messageOf(cause)}\n`)
    process.exitCode = 1
  })
