/**
 * A machine made a host of compartments: the engine, the image, and what is said where that cannot be. The image is looked
 * at from inside, under the flags that compartments run with.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { existsSync } from "node:fs"
import { readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { isRunning } from "../../ops/launcher/proc.ts"
import { LOG_MAX_BYTES } from "../../ops/runtime/daemons.ts"
import { clientOf, factsOf } from "../../ops/runtime/engine-client.ts"
import { engineFor, stopEngine } from "../../ops/runtime/engine.ts"
import { buildImage, imageName } from "../../ops/runtime/image.ts"
import { withLock } from "../../ops/runtime/lock.ts"
import { mountsBelow } from "../../ops/runtime/mounts.ts"
import { placesOf } from "../../ops/runtime/places.ts"
import { prepare } from "../../ops/runtime/prepare.ts"
import { readEngine, readPrepared } from "../../ops/runtime/prepared.ts"
import { ensurePrograms } from "../../ops/runtime/programs.ts"
import { call } from "../deploy/engine.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { type SharedEngine, sharedEngine } from "./shared-engine.ts"

const env: NodeJS.ProcessEnv = { ...process.env, HUB_DOCKER_SOCKET: "", HUB_RUNTIME_IMAGE: "" }
const NO_MACHINE = "/nonexistent/docker.sock"
const progress = (): void => undefined
const started: Array<string> = []

const freshData = async (): Promise<string> => {
  const dataDir = await testFolder("host")
  started.push(dataDir)
  return dataDir
}

const own = (dataDir: string) => engineFor({ dataDir, env, progress, machineSocket: NO_MACHINE })

beforeAll(() => ensurePrograms({ env, progress }))

const pidsOf = async (dataDir: string): Promise<ReadonlyArray<number>> => {
  const { pidFile, containerdPidFile } = placesOf(dataDir)
  const texts = await Promise.all([pidFile, containerdPidFile].map((file) => readFile(file, "utf8")))
  return texts.map(Number)
}

afterEach(async () => {
  for (const dataDir of started.splice(0)) {
    await stopEngine(dataDir, "kill")
    await rm(dataDir, { recursive: true, force: true })
  }
})

describe("an engine of our own", () => {
  test("comes up once for two at a time, wherever its folder lies, and leaves nothing when it ends", async () => {
    const dataDir = join(await freshData(), "a".repeat(120))
    started.unshift(dataDir)
    // As `npm start` leaves it to what it starts.
    const before = process.umask(0o077)
    const [one, other] = await Promise.all([own(dataDir), own(dataDir)]).finally(() => process.umask(before))
    expect(other).toEqual(one)
    expect(one.own).toBe(true)
    expect(await factsOf(one.socket)).toMatchObject({ remapsUsers: true })
    expect(await readEngine(placesOf(dataDir).known)).toEqual(one)
    const pids = await pidsOf(dataDir)
    expect(pids.every(isRunning)).toBe(true)

    // Found again, it is adopted; a log that has grown too long is begun anew.
    const log = join(placesOf(dataDir).engine, "dockerd.log")
    await writeFile(log, Buffer.alloc(LOG_MAX_BYTES + 1), { flag: "a" })
    expect(await own(dataDir)).toEqual(one)
    expect(await pidsOf(dataDir)).toEqual(pids)
    expect((await readFile(log)).length).toBeLessThan(LOG_MAX_BYTES)
    expect(await stopEngine(dataDir)).toEqual({ ended: true, running: [] })
    expect(pids.filter(isRunning)).toEqual([])
    const { run, engine } = placesOf(dataDir)
    expect([existsSync(run), ...(await mountsBelow(run)), ...(await mountsBelow(engine))]).toEqual([false])
  })

  test("outlives a starter that is killed, and each of its two parts is started again when it has died", async () => {
    const dataDir = await freshData()
    const program = `import { engineFor } from ${JSON.stringify(join(import.meta.dirname, "../../ops/runtime/engine.ts"))}
      const dataDir = ${JSON.stringify(dataDir)}
      await engineFor({ dataDir, env: process.env, progress: () => undefined, machineSocket: "${NO_MACHINE}" })
      console.log("there")
      setInterval(() => undefined, 1000)`
    const starter = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program], { env })
    await once(starter.stdout, "data")
    starter.kill("SIGKILL")
    await once(starter, "exit")
    const [dockerd = 0, containerd = 0] = await pidsOf(dataDir)
    expect([dockerd, containerd].every(isRunning)).toBe(true)
    const { socket } = await own(dataDir)

    process.kill(containerd, "SIGKILL")
    await waitFor(() => !isRunning(containerd), { describe: "the end of containerd" })
    await own(dataDir)
    expect((await pidsOf(dataDir))[0]).toBe(dockerd)
    expect((await pidsOf(dataDir))[1]).not.toBe(containerd)
    process.kill(dockerd, "SIGKILL")
    await waitFor(() => !isRunning(dockerd), { describe: "the end of dockerd" })
    expect(await factsOf(socket)).toBeNull()
    await own(dataDir)
    expect(await factsOf(socket)).toMatchObject({ remapsUsers: true })
  })
})

describe("where it cannot be", () => {
  /** As far as it is asked: an engine that does not remap. */
  const plainEngine = async (folder: string): Promise<{ socket: string; close: () => void }> => {
    const socket = join(folder, "plain.sock")
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ ServerVersion: "20.10.24", SecurityOptions: ["name=seccomp,profile=default"] }))
    ).listen(socket)
    await once(server, "listening")
    return { socket, close: () => void server.close() }
  }

  test("a socket that is named must answer and remap users, else one line says which it does not", async () => {
    const dataDir = await freshData()
    const named = (socket: string) => engineFor({ dataDir, env: { HUB_DOCKER_SOCKET: socket }, progress })
    await expect(named(NO_MACHINE)).rejects.toThrow(
      `HUB_DOCKER_SOCKET names ${NO_MACHINE}, where no container engine answers`
    )
    const { socket, close } = await plainEngine(dataDir)
    await expect(named(socket)).rejects.toThrow(
      /^HUB_DOCKER_SOCKET names .*, whose engine does not remap users: set .*$/
    )
    // As the machine's it is passed over.
    const engine = await engineFor({ dataDir, env, progress, machineSocket: socket })
    expect(engine).toEqual({ socket: placesOf(dataDir).socket, own: true })
    close()
  })

  test("who is not root is told so, and the file tells it on", async () => {
    const dataDir = await freshData()
    const refused = prepare({ dataDir, env, progress, uid: 1000 })
    const problem = "compartments need root on their host: start the runtime as root"
    await expect(refused).rejects.toThrow(problem)
    expect(await readPrepared(placesOf(dataDir).prepared)).toEqual({
      stage: "programs",
      problem,
      at: expect.stringMatching(/^\d{4}-.*Z$/)
    })
  })

  test("a lock is one holder's at a time, and free as soon as that one is gone", async () => {
    const file = join(await freshData(), "lock")
    const holder = spawn("flock", [file, "sleep", "600"], { stdio: "ignore", detached: true })
    const options = { waitMs: 1000, what: "a test" }
    await waitFor(
      async () => (await call("sh", ["-c", `flock -n ${file} true && echo free || echo held`], {})) === "held\n",
      { describe: "a lock that is held" }
    )
    await expect(withLock(file, options, async () => "mine")).rejects.toThrow("is done by another process")
    process.kill(-(holder.pid ?? 0), "SIGKILL")
    expect(await withLock(file, { ...options, waitMs: 60_000 }, async () => "mine")).toBe("mine")
  })
})

describe("the image", () => {
  let shared: SharedEngine

  beforeAll(async () => {
    shared = await sharedEngine()
  })
  afterAll(async () => {
    const client = clientOf(shared.socket)
    for (const { Id } of await client.listContainers({ all: true, filters: { label: ["hub.test=image"] } }))
      await client.getContainer(Id).remove({ force: true })
  })

  /** As a compartment is run (actors/runtime/host/container.ts). */
  const FLAGS = [
    "--user=1000:1000",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--read-only",
    "--tmpfs=/tmp:rw,nosuid,nodev,size=256m",
    "--shm-size=64m",
    "--pids-limit=256",
    "--memory=768m",
    "--memory-swap=768m",
    "--cpus=0.5",
    "--network=none",
    "--ulimit=core=0",
    "--ulimit=nofile=4096",
    "--oom-score-adj=500",
    "--label=hub.test=image",
    "--tmpfs=/data:uid=1000,gid=1000,exec",
    "--workdir=/data"
  ]
  const inside = async (script: string, flags: ReadonlyArray<string> = FLAGS): Promise<string> => {
    const args = ["--host", `unix://${shared.socket}`, "run", "--rm", ...flags, shared.image, "bash", "-lc", script]
    return (await call("docker", args, { env: { PATH: process.env["PATH"] } })).trim()
  }

  test("says of what it is made, and is not made twice", async () => {
    const { Config } = await clientOf(shared.socket).getImage(shared.image).inspect()
    expect(Config.Labels).toEqual({ "hub.ingredients": expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(shared.image).toBe(imageName(env, true))
    const folder = placesOf(shared.dataDir).image
    const again = await buildImage({ socket: shared.socket, folder, env, progress, small: true })
    expect(again).toEqual({ name: shared.image, made: false })
  })

  test("has the users, and nobody who could become another", async () => {
    expect(
      await inside("id; getent passwd agent fill; echo $HOME; cat /proc/self/uid_map; touch /x 2>&1; true")
    ).toMatch(
      /^uid=1000\(agent\) gid=1000\(agent\) groups=1000\(agent\)\nagent:x:1000:1000::\/data:\/bin\/bash\nfill:x:1001:1001::\/nonexistent:\/usr\/sbin\/nologin\n\/data\n\s+0\s+[1-9]\d+\s+65536\ntouch: .*Read-only file system$/
    )
    const found =
      "find / -xdev -not -type l -perm /6000 2>/dev/null | wc -l; find / -xdev -name passwd -path '*/bin/*' | wc -l"
    expect(await inside(found)).toBe("0\n1")
  })

  test("has what an agent's program is written in", async () => {
    const told = await inside(
      "node --version; npm --version; python3 --version; git --version; pip --version; curl --version; jq --version"
    )
    const [node, npm, python, git, pip, curl, jq] = told
      .split("\n")
      .filter((line) => !/^(Release|Protocols|Features)/.test(line))
    expect(node).toMatch(/^v24\./)
    expect(npm).toMatch(/^\d+\.\d+\.\d+$/)
    expect(Number(/^Python 3\.(\d+)\./.exec(python ?? "")?.[1])).toBeGreaterThanOrEqual(12)
    expect([git, pip, curl, jq]).toEqual(
      [/^git version/, /^pip \d/, /^curl \d/, /^jq-/].map((as) => expect.stringMatching(as))
    )
    expect(
      await inside(
        "python3 -m venv v && v/bin/python -c 'import ssl, sqlite3, venv; print(1)'; git init -q g && ls g/.git/HEAD"
      )
    ).toBe("1\ng/.git/HEAD")
  })

  test("has the kit in any folder, the command, and the fill service", async () => {
    const program =
      'const [client, verify] = await Promise.all(["client", "verify"].map((part) => import("hub-kit/" + part))); console.log(typeof client.HubClient, typeof verify)'
    expect(await inside(`mkdir -p /tmp/a/b && cd /tmp/a/b && echo '${program}' > x.mjs && node x.mjs`)).toBe(
      "function object"
    )
    expect(await inside("hub-agent --help | head -1; hub-fill --help | head -1")).toContain(
      "usage:\nnpm run -s fill -- --token-file"
    )
    expect(await inside("hub-fill --token-file /tmp/none --cdp http://127.0.0.1:9 2>&1; true")).toBe(
      "hub fill: --token-file: there is no file /tmp/none"
    )
  })

  test("its files are found by a container though nobody but root passes the data folder", async () => {
    expect((await stat(shared.dataDir)).mode & 0o077).toBe(0)
    expect(await inside("cat /etc/debian_version")).toMatch(/^13/)
  })
})
