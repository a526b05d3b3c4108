/**
 * A container engine with the small image, one for all tests of a run: the first test that wants it makes both, the others
 * wait. The product's own code makes them (ops/runtime/), below the run's folder. They end with the run (global-setup.ts).
 * The image is kept between runs (image-cache.ts).
 *
 * Deployments of tests use it as HUB_DOCKER_SOCKET and HUB_RUNTIME_IMAGE, each with a folder, and so a tag, of its own.
 */
import { mkdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { engineFor, stopEngine } from "../../ops/runtime/engine.ts"
import { ingredientsOf } from "../../ops/runtime/image-recipe.ts"
import { buildImage, imageName } from "../../ops/runtime/image.ts"
import { withLock } from "../../ops/runtime/lock.ts"
import { npmFolder } from "../../ops/runtime/npm-folder.ts"
import { placesOf } from "../../ops/runtime/places.ts"
import { ensurePrograms } from "../../ops/runtime/programs.ts"
import { call } from "../deploy/engine.ts"
import { type CachedImages, imagesAreKept, loadImages, saveImages } from "../deploy/image-cache.ts"

export interface SharedEngine {
  readonly dataDir: string
  readonly socket: string
  readonly image: string
}

const MADE_WITHIN_MS = 3_600_000

/** Of nobody else's configuration. */
const env: NodeJS.ProcessEnv = { ...process.env, HUB_DOCKER_SOCKET: "", HUB_RUNTIME_IMAGE: "" }
const progress = (line: string): void => console.error(line)

const sharedFolder = (run: string): string => join(run, "shared-engine")

/** Runs `docker ...` against the engine at this socket. */
export const dockerAt =
  (socket: string) =>
  (args: ReadonlyArray<string>): Promise<string> =>
    call("docker", ["--host", `unix://${socket}`, ...args], { env: { PATH: process.env["PATH"] } })

const cachedImage = async (): Promise<CachedImages> => {
  const npm = await npmFolder(env)
  const hash = await ingredientsOf(true, [npm?.version ?? "no npm"])
  return { name: "compartment", hash: hash.slice(0, 16), tags: [imageName(env, true)] }
}

/** True: the image of compartments need not be built. */
export const compartmentImageIsKept = async (): Promise<boolean> => imagesAreKept(await cachedImage())

const ensureImage = async (dataDir: string, socket: string): Promise<string> => {
  const docker = dockerAt(socket)
  const images = await cachedImage()
  const [name = ""] = images.tags
  const isThere = (await docker(["images", "--quiet", name])) !== ""
  const wasLoaded = isThere || (await loadImages(images, docker))
  const { made } = await buildImage({ socket, folder: placesOf(dataDir).image, env, progress, small: true })
  if (made || !wasLoaded) await saveImages(images, docker)
  return name
}

export const sharedEngine = async (): Promise<SharedEngine> => {
  const dataDir = sharedFolder(process.env["HUB_TEST_FOLDER"] ?? tmpdir())
  // As strict as a folder of root's own may be.
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await ensurePrograms({ env, progress })
  // The machine's own engine, if it has one, is nobody's to fill with what tests leave.
  const { socket } = await engineFor({ dataDir, env, progress, machineSocket: join(dataDir, "none.sock") })
  const lock = { waitMs: MADE_WITHIN_MS, what: "the image of the tests" }
  const image = await withLock(join(dataDir, "image.lock"), lock, () => ensureImage(dataDir, socket))
  return { dataDir, socket, image }
}

/** With whatever runs in it. Does nothing where no test has wanted it. */
export const endSharedEngine = async (run: string): Promise<void> => {
  const dataDir = sharedFolder(run)
  if (process.getuid?.() !== 0) return
  await stopEngine(dataDir, "kill")
  await rm(dataDir, { recursive: true, force: true })
}
