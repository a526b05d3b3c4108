/** `npm start -- --runtime`: the service is there at once, its host when it is prepared, and compartments stay when it goes. */
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { isRunning } from "../../ops/launcher/proc.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { clientOf } from "../../ops/runtime/engine-client.ts"
import { placesOf } from "../../ops/runtime/places.ts"
import { readPrepared } from "../../ops/runtime/prepared.ts"
import { call } from "../deploy/engine.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { endLaunchers, launch } from "../launcher/launcher.ts"
import { sharedEngine } from "./shared-engine.ts"

afterEach(endLaunchers)

const prepared = (dataDir: string, stage: string) =>
  waitFor(
    async () => {
      const found = await readPrepared(placesOf(dataDir).prepared)
      if (found === null || (found.stage !== stage && found.problem === null)) throw new Error(JSON.stringify(found))
      return found
    },
    { describe: `a host at the stage ${stage}` }
  )

test("ready does not wait for a host that cannot be, and the file says why it cannot", async () => {
  const socket = "/nonexistent/docker.sock"
  const launcher = await (await launch({ args: ["--runtime"], env: { HUB_DOCKER_SOCKET: socket } })).ready()
  expect(launcher.run().runtime).toEqual({ pid: expect.any(Number) })
  const health = (await (await fetch(`http://127.0.0.1:${launcher.port}/api/v1/health`)).json()) as { hosts: string }
  expect(health.hosts).toBe(`127.0.0.1:${launcher.port},hub.internal:${launcher.port}`)
  const problem = `HUB_DOCKER_SOCKET names ${socket}, where no container engine answers`
  await waitFor(() => launcher.stderr.includes(`compartments cannot be had: ${problem}`), { describe: "the reason" })
  expect(await prepared(launcher.dataDir, "engine")).toMatchObject({ stage: "engine", problem })
  expect(launcher.stderr).toMatch(/\[runtime 1\] connects to nats:\/\/127\.0\.0\.1:\d+ as runtime\n/)

  const pids = launcher.pids()
  const ended = await launcher.end("SIGTERM")
  expect(ended).toMatchObject({ code: 0, signal: null })
  expect(pids.filter(isRunning)).toEqual([])
})

test("a compartment runs on when the service ends, which says so, and how to end it", async () => {
  const { socket, image } = await sharedEngine()
  const dataDir = await testFolder("launcher")
  await mkdir(dataDir, { recursive: true })
  const env = { HUB_DOCKER_SOCKET: socket, HUB_RUNTIME_IMAGE: image }
  const launcher = await (await launch({ args: ["--runtime"], dataDir, env })).ready()
  expect(await prepared(dataDir, "ready")).toMatchObject({ stage: "ready", problem: null })
  expect(JSON.parse(await readFile(join(dataDir, "runtime", "engine.json"), "utf8"))).toEqual({ socket, own: false })

  const { tag } = placesOf(dataDir)
  const client = clientOf(socket)
  const compartment = await client.createContainer({
    Image: image,
    Cmd: ["sleep", "600"],
    Labels: { "hub.tag": tag, "hub.compartment": "cmp_one" },
    HostConfig: { NetworkMode: "none" }
  })
  const hub = ["--no-warnings", join(projectRoot, "ops/cli/main.ts"), "runtime", "end"]
  const end = () => call(process.execPath, hub, { env: { ...process.env, HUB_DATA: dataDir } })
  try {
    await compartment.start()
    // It would be started again.
    await expect(end()).rejects.toThrow(
      /the runtime of .* is at work \(preparation pid \d+\).*: stop the service first/
    )
    expect((await compartment.inspect()).State.Running).toBe(true)
    const ended = await launcher.end("SIGTERM")
    expect(ended).toMatchObject({ code: 0, signal: null })
    expect(launcher.stderr).toContain(
      "a compartment runs on (cmp_one); npm run hub -- runtime end ends them until the next start\n"
    )
    expect((await compartment.inspect()).State.Running).toBe(true)

    expect(await end()).toBe("ended cmp_one\n")
    expect((await compartment.inspect()).State.Running).toBe(false)
    // Of others than this deployment nothing ends.
    expect(await client.ping()).toEqual(expect.anything())
  } finally {
    await compartment.remove({ force: true })
  }
})
