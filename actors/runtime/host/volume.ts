/**
 * The `/data` of a compartment: a file system in a file. This limits its size and its number of files, and one call to
 * the kernel returns its usage.
 *
 * Invariants
 *  - The file gets its name only after the file system in it is complete.
 *  - The service never walks through folders that a program wrote. The first folders are created together with the file
 *    system.
 *  - A volume is mounted when it is needed, because mounts are lost when the machine restarts. An existing file system
 *    is checked before it is mounted.
 */
import { chmod, chown, mkdir, open, readFile, realpath, rename, rm, stat, statfs } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { runProgram } from "./programs.ts"

const MIB = 1024 * 1024
/**
 * A run is stopped when its disk exceeds `disk_stop_percent` (125) of the quota, so the volume needs room for more than
 * the quota.
 */
const SHARE_OF_QUOTA = 1.25
const MORE_MIB = 32
const JOURNAL_MIB = 16
/** The file system allows one file for this many bytes on average. */
const BYTES_PER_INODE = 16_384
const INODE_BYTES = 256
/** Exit statuses of e2fsck: clean, or repaired. */
const MENDED = [0, 1]

export interface VolumePlace {
  readonly image: string
  readonly mount: string
}

/** The user of this machine to which the compartment's user is mapped. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

export const volumePlace = (folder: string): VolumePlace => ({
  image: join(folder, "data.img"),
  mount: join(folder, "data")
})

/** The file also contains the file system's tables and its journal. */
function imageBytes(diskMb: number): number {
  const usable = Math.ceil(diskMb * SHARE_OF_QUOTA) + MORE_MIB
  const tables = Math.ceil((usable * INODE_BYTES) / BYTES_PER_INODE)
  return (usable + tables + JOURNAL_MIB) * MIB
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false
  )

const unescaped = (path: string): string =>
  path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

const nullIfMissing = (error: NodeJS.ErrnoException): null => {
  if (error.code === "ENOENT") return null
  throw error
}

/**
 * The kernel lists paths without symbolic links, and the data folder may be behind one. Only the parent is resolved,
 * because a broken file system may refuse every call at its mount point.
 */
async function isMounted(path: string): Promise<boolean> {
  const parent = await realpath(dirname(path)).catch(nullIfMissing)
  if (parent === null) return false
  const listed = join(parent, basename(path))
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n")
  return lines.some((line) => unescaped(line.split(" ")[4] ?? "") === listed)
}

async function makeImage(image: string, diskMb: number, { uid, gid }: Owner): Promise<void> {
  const fresh = `${image}.new`
  const seed = `${image}.seed`
  await rm(fresh, { force: true })
  await mkdir(join(seed, "work"), { recursive: true })
  await chmod(join(seed, "work"), 0o755)
  await chown(join(seed, "work"), uid, gid)
  const file = await open(fresh, "w", 0o600)
  await file.truncate(imageBytes(diskMb)).finally(() => file.close())
  const extended = `root_owner=${uid}:${gid},lazy_itable_init=1,lazy_journal_init=1`
  const shape = ["-m", "0", "-i", String(BYTES_PER_INODE), "-I", String(INODE_BYTES), "-J", `size=${JOURNAL_MIB}`]
  await runProgram("mkfs.ext4", ["-q", "-F", ...shape, "-E", extended, "-O", "^resize_inode", "-d", seed, fresh])
  await rename(fresh, image)
  await rm(seed, { recursive: true, force: true })
}

export async function ensureVolume(place: VolumePlace, diskMb: number, owner: Owner): Promise<void> {
  if (await isMounted(place.mount)) return
  await mkdir(place.mount, { recursive: true })
  if (await exists(place.image)) await runProgram("e2fsck", ["-p", place.image], MENDED)
  else await makeImage(place.image, diskMb, owner)
  const options = "loop,nosuid,nodev,noatime,errors=remount-ro"
  await runProgram("mount", ["-t", "ext4", "-o", options, place.image, place.mount])
}

export interface Used {
  readonly used_mb: number
}

/** null if the volume is not mounted. */
export async function usedOf(place: VolumePlace): Promise<Used | null> {
  if (!(await isMounted(place.mount))) return null
  const { blocks, bfree, bsize } = await statfs(place.mount)
  return { used_mb: Math.ceil(((blocks - bfree) * bsize) / MIB) }
}

/** Unmounts and deletes the volume. The container that uses it must be removed before. */
export async function removeVolume(place: VolumePlace): Promise<void> {
  if (await isMounted(place.mount)) await runProgram("umount", [place.mount])
  await rm(place.image, { force: true })
}
