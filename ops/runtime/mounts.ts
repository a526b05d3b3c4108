/** Mounts of the runtime: makes a folder visible at a second place, and removes all mounts below a folder. */
import { execFile } from "node:child_process"
import { lstat, mkdir, readFile } from "node:fs/promises"
import { promisify } from "node:util"

const run = promisify(execFile)

const MOUNT_TIMEOUT_MS = 20_000
/** Escapes of paths in the kernel's list. */
const ESCAPED = /\\([0-7]{3})/g

const unescaped = (path: string): string =>
  path.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

/** Only Linux has this list, and the mounts of the runtime. */
const unlessLinux = (cause: unknown): string => {
  if (process.platform === "linux") throw cause
  return ""
}

/** Mounts at the folder and below it, innermost first. */
export const mountsBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  const lines = (await readFile("/proc/self/mounts", "utf8").catch(unlessLinux)).split("\n")
  const places = lines.map((line) => unescaped(line.split(" ")[1] ?? ""))
  return places.filter((place) => place === folder || place.startsWith(`${folder}/`)).toReversed()
}

/** Unmounts the folder and everything below it. A mount that is in use is removed as soon as it is free. */
export const unmountBelow = async (folder: string): Promise<void> => {
  for (const place of await mountsBelow(folder))
    await run("umount", ["--lazy", "--", place], { timeout: MOUNT_TIMEOUT_MS }).catch(() => undefined)
}

const isSame = async (one: string, other: string): Promise<boolean> => {
  const [a, b] = await Promise.all([lstat(one), lstat(other)])
  return a.dev === b.dev && a.ino === b.ino
}

/** Does nothing if the folder is mounted there already. Another mount at the place is removed. */
export const bindMount = async (folder: string, at: string): Promise<void> => {
  await mkdir(at, { recursive: true })
  if (await isSame(folder, at)) return
  await unmountBelow(at)
  await run("mount", ["--bind", "--", folder, at], { timeout: MOUNT_TIMEOUT_MS })
}
