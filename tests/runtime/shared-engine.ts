/**
 * A container engine with the small image, one for all tests of a run: who comes first makes both, the others wait for it.
 * It is the product's own way to them (ops/runtime/), below the run's folder, and ends with the run (global-setup.ts).
 *
 * Deployments of tests use it as HUB_DOCKER_SOCKET and HUB_RUNTIME_IMAGE, each with a folder, and so a tag, of its own.
 */
import { mkdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { engineFor, stopEngine } from "../../ops/runtime/engine.ts"
import { buildImage } from "../../ops/runtime/image.ts"
import { placesOf } from "../../ops/runtime/places.ts"
import { ensurePrograms } from "../../ops/runtime/programs.ts"

export interface SharedEngine {
  readonly dataDir: string
  readonly socket: string
  readonly image: string
}

/** Of nobody else's configuration. */
const env: NodeJS.ProcessEnv = { ...process.env, HUB_DOCKER_SOCKET: "", HUB_RUNTIME_IMAGE: "" }
const progress = (line: string): void => console.error(line)

const sharedFolder = (run: string): string => join(run, "shared-engine")

export const sharedEngine = async (): Promise<SharedEngine> => {
  const dataDir = sharedFolder(process.env["HUB_TEST_FOLDER"] ?? tmpdir())
  // As strict as a folder of root's own may be.
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await ensurePrograms({ env, progress })
  // The machine's own engine, if it has one, is nobody's to fill with what tests leave.
  const { socket } = await engineFor({ dataDir, env, progress, machineSocket: join(dataDir, "none.sock") })
  const { name } = await buildImage({ socket, folder: placesOf(dataDir).image, env, progress, small: true })
  return { dataDir, socket, image: name }
}

/** With whatever runs in it. Does nothing where no test has wanted it. */
export const endSharedEngine = async (run: string): Promise<void> => {
  const dataDir = sharedFolder(run)
  if (process.getuid?.() !== 0) return
  await stopEngine(dataDir, "kill")
  await rm(dataDir, { recursive: true, force: true })
}
