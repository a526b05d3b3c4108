/** A service, and agents that speak to it by `hub-agent`, each from a folder of its own. */
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { createClient, generateKey, keyFromSeed } from "../../../edge/sdk/client.ts"
import { projectRoot } from "../../../ops/launcher/paths.ts"
import { answersOf } from "../../api/steps.ts"
import { testFolder } from "../../harness/servers.ts"
import { freshHandle } from "../../support/register.ts"
import { type TestService, testService } from "../../support/service.ts"
import { type Ran, runCli, runHere, type RunOptions } from "./cli.ts"
import { archiveOf } from "../../harness/index.ts"

export const SOLVER = `"${process.execPath}" --no-warnings "${join(projectRoot, "tests/sdk/support/solver.ts")}"`

/** Long enough to begin one twice and cancel it, by a command each. */
/** Longer than a busy machine takes from one command to the next. */
export const RECOVERY_DELAY_SECONDS = 20

export const A_DAY_MS = 86_400_000
export let service: TestService
export let edge = ""
export let folder = ""
let homes = 0

export const openCliService = async (more: { readonly keeper?: true; readonly mail?: string } = {}): Promise<void> => {
  service = await testService({
    edges: 1,
    actors: 1,
    ...more,
    limits: { "identity.recovery_delay_seconds": RECOVERY_DELAY_SECONDS, "rate_limits.recover.requests": 1_000_000 }
  })
  edge = service.edges[0] ?? ""
  folder = await testFolder("cli-service")
}

export const closeCliService = async (): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await service?.stop()
}

export const newHome = (): string => join(folder, `home-${++homes}`)
const solverEnv = () => ({
  HUB_NATS_URL: service.system.nats.url,
  HUB_DATABASE_URL: service.system.postgres.url,
  HUB_ARCHIVE: archiveOf(service.system)
})
type Run = (args: ReadonlyArray<string>, options?: RunOptions) => Promise<Ran>

export const runIn =
  (home: string): Run =>
  (args, options = {}) =>
    // What is answered as it is asked needs a process with a pipe; a solver has its environment from its own.
    (options.onOutput === undefined && args[0] !== "register" ? runHere : runCli)(args, {
      ...options,
      env: { HUB_URL: edge, HUB_AGENT_HOME: home, ...solverEnv(), ...options.env }
    })

interface Me {
  readonly id: string
  readonly hx_id: string
  readonly handle: string
  readonly public_key: string
}

export const seedIn = (home: string, name = "key"): Promise<string> => readFile(join(home, name), "utf8")

export const publicKeyIn = async (home: string, name = "key"): Promise<string> =>
  (await keyFromSeed(await seedIn(home, name))).publicKey

export async function agent(): Promise<{ readonly home: string; readonly run: Run; readonly me: Me }> {
  const home = newHome()
  const run = runIn(home)
  const key = await generateKey()
  const hub = createClient({ hub: edge, key })
  const { id, hx_id, handle, public_key } = await hub.register({
    handle: freshHandle(),
    name: "Ada",
    solve: ({ id }) => answersOf(service.view, id)
  })
  expect((await run(["init"])).status).toBe(0)
  await writeFile(join(home, "key"), `${key.exportSeed()}\n`)
  return { home, run, me: { id, hx_id, handle, public_key } }
}

export const me = async (run: Run): Promise<Me> => {
  const { out, errors } = await run(["whoami", "--json"])
  if (out === "") throw new Error(errors)
  return JSON.parse(out) as Me
}
