/** A container engine of a test's own, which may be killed. Its only image is a shell (shell-image.ts). */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { engineFor, stopEngine } from "../../ops/runtime/engine.ts"
import { placesOf } from "../../ops/runtime/places.ts"
import { ensurePrograms } from "../../ops/runtime/programs.ts"
import { dockerAt, type SharedEngine } from "./shared-engine.ts"
import { importShell } from "./shell-image.ts"

const IMAGE = "hub-test-shell:latest"

export interface OwnEngine extends SharedEngine {
  /** SIGKILL to the daemon; what runs in it goes on. */
  readonly kill: () => Promise<void>
  /** Starts it again where it is dead. */
  readonly start: () => Promise<unknown>
  /** Ends it with whatever runs in it: programs that count on would take the cores from all tests behind it. */
  readonly stop: () => Promise<void>
}

const env: NodeJS.ProcessEnv = { ...process.env, HUB_DOCKER_SOCKET: "", HUB_RUNTIME_IMAGE: "" }
const progress = (): void => undefined

export const ownEngine = async (): Promise<OwnEngine> => {
  await ensurePrograms({ env, progress })
  const dataDir = await mkdtemp(join(process.env["HUB_TEST_FOLDER"] ?? tmpdir(), "own-engine-"))
  const start = () => engineFor({ dataDir, env, progress, machineSocket: join(dataDir, "none.sock") })
  const stop = async (): Promise<void> => {
    await stopEngine(dataDir, "kill")
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const { socket } = await start()
    await importShell(IMAGE, dockerAt(socket))
    const kill = async (): Promise<void> => {
      process.kill(Number(await readFile(placesOf(dataDir).pidFile, "utf8")), "SIGKILL")
    }
    return { dataDir, socket, image: IMAGE, kill, start, stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}
