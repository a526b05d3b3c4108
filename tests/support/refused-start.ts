/** Starts a node with settings that it must refuse. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { programPath, testFolder } from "../harness/index.ts"
import type { TestService } from "./service.ts"

/** The exit status of a process whose configuration is invalid. */
export const CONFIGURATION_ERROR = 78

/** Returns the exit status and the output. */
export const refusedStart = async (
  service: TestService,
  env: NodeJS.ProcessEnv
): Promise<readonly [number | null, string]> => {
  const child = spawn(process.execPath, ["--no-warnings", await programPath("actor")], {
    cwd: projectRoot,
    env: {
      PATH: process.env["PATH"],
      HUB_ENV: "development",
      HUB_NATS_URL: service.system.nats.url,
      HUB_DATABASE_URL: service.system.postgres.url,
      HUB_DATA: await testFolder("another-key"),
      ...env
    }
  })
  let said = ""
  child.stderr.on("data", (chunk) => (said += String(chunk)))
  const [status] = (await once(child, "close")) as [number | null]
  return [status, said]
}
