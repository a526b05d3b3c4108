/**
 * Keeps images that tests have built between runs: an archive each in `.hub/test-images/`, named after a hash of what the
 * images are made of. A run that finds its archive builds nothing.
 */
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { projectRoot } from "../../ops/launcher/paths.ts"

const FOLDER = join(projectRoot, ".hub", "test-images")

export interface CachedImages {
  /** Archives of the same name replace each other: only the newest hash is kept. */
  readonly name: string
  readonly hash: string
  readonly tags: ReadonlyArray<string>
}

type Docker = (args: ReadonlyArray<string>) => Promise<string>

const fileOf = ({ name, hash }: CachedImages): string => join(FOLDER, `${name}-${hash}.tar`)

export const imagesAreKept = (images: CachedImages): Promise<boolean> =>
  stat(fileOf(images)).then(
    () => true,
    () => false
  )

/** Hands the images to an engine; false if there is no archive of them. */
export async function loadImages(images: CachedImages, docker: Docker): Promise<boolean> {
  const isThere = await imagesAreKept(images)
  if (isThere) await docker(["load", "--quiet", "--input", fileOf(images)])
  return isThere
}

/** The archive appears whole or not at all, whatever ends the run. */
export async function saveImages(images: CachedImages, docker: Docker): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const file = fileOf(images)
  const arriving = `${file}.${process.pid}`
  await docker(["save", "--output", arriving, ...images.tags])
  await rename(arriving, file)
  const former = new RegExp(`^${images.name}-[0-9a-f]+\\.tar$`)
  for (const name of await readdir(FOLDER))
    if (former.test(name) && join(FOLDER, name) !== file) await rm(join(FOLDER, name), { force: true })
}
