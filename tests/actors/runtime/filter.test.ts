/** The filter of system calls, as the kernel tells of it; and an engine that says it has one. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { openEngine } from "../../../actors/runtime/host/docker.ts"
import { isFiltered } from "../../../actors/runtime/host/filter.ts"
import { examine } from "../../../actors/runtime/host/open.ts"
import { testFolder } from "../../harness/index.ts"

const PROGRAM = fileURLToPath(new URL("filter.py", import.meta.url))
const SETTINGS = { tag: "t", image: "image" }

let filtering: ChildProcess
let filtered = 0
let inheriting = 0
beforeAll(async () => {
  filtering = spawn("python3", [PROGRAM], { stdio: ["pipe", "pipe", "inherit"] })
  if (filtering.stdout === null) throw new Error("it has no output")
  const [line] = (await once(createInterface(filtering.stdout), "line")) as [string]
  const [own = 0, child = 0] = line.split(" ").map(Number)
  filtered = own
  inheriting = child
})
afterAll(() => {
  filtering?.stdin?.end()
  filtering?.kill("SIGKILL")
})

test("a process has a filter of its own, or that of its parent, or none", async () => {
  expect([await isFiltered(filtered), await isFiltered(inheriting)]).toEqual([true, false])
  const plain = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] })
  await once(plain, "spawn")
  expect([await isFiltered(plain.pid ?? 0), await isFiltered(2 ** 30)]).toEqual([false, false])
  plain.stdin.end()
})

describe("an engine that says it filters", () => {
  let folder = ""
  let server: Server
  afterEach(async () => {
    server.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Answers to what is asked of it here, about a container whose first process this is. */
  const engineOf = async (pid: number) => {
    const calls: Array<string> = []
    const answers: Readonly<Record<string, object>> = {
      "GET /info": {
        ServerVersion: "28",
        DockerRootDir: "/var/lib/docker/100000.100000",
        SecurityOptions: ["name=seccomp,profile=builtin", "name=userns"],
        MemoryLimit: true,
        SwapLimit: true,
        CpuCfsQuota: true,
        PidsLimit: true
      },
      "GET /images/image/json": {},
      "POST /containers/create": { Id: "c1" },
      "POST /containers/c1/start": {},
      "GET /containers/c1/json": { State: { Pid: pid } },
      "DELETE /containers/c1": {}
    }
    folder = await testFolder("engine")
    const socket = join(folder, "engine.sock")
    server = createServer((request, response) => {
      const call = `${request.method} ${(request.url ?? "").replace(/\?.*/, "").replace(/^\/v[\d.]+/, "")}`
      calls.push(call)
      request.resume()
      const status = call.includes("create") ? 201 : call.startsWith("GET") ? 200 : 204
      response.writeHead(answers[call] === undefined ? 404 : status, { "content-type": "application/json" })
      response.end(status === 204 ? undefined : JSON.stringify(answers[call] ?? {}))
    }).listen(socket)
    await once(server, "listening")
    return { calls, docker: openEngine(socket).calls }
  }

  test("and does, opens a host, and its probe is gone", async () => {
    const { calls, docker } = await engineOf(filtered)
    expect(await examine(docker, SETTINGS)).toMatchObject({ isolation: "runc", rootUid: 100_000 })
    expect(calls.at(-1)).toBe("DELETE /containers/c1")
  })

  test("and does not, opens none", async () => {
    const { calls, docker } = await engineOf(inheriting)
    await expect(examine(docker, SETTINGS)).rejects.toThrow(
      "the container engine says that it filters system calls (seccomp), and does not"
    )
    expect(calls.at(-1)).toBe("DELETE /containers/c1")
  })
})
