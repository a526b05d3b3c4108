import { randomBytes } from "node:crypto"
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { edgeKeys } from "../../ops/launcher/node-environment.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { programPath, testFolder, waitFor } from "../harness/index.ts"
import { openNats, playActors, type TestNats } from "./edge.ts"
import { newIdentity, signatureHeaders } from "./signer.ts"
import { WireNode } from "./wire-node.ts"

let nats: TestNats
let node: WireNode
beforeAll(async () => {
  nats = await openNats()
  node = await WireNode.start(nats.url)
  playActors(node)
  await node.claim()
})
afterAll(async () => {
  await node.stop()
  await nats.stop()
})

interface Started {
  readonly child: ChildProcess
  readonly port: number
  /** Its data folder. */
  readonly data: string
  readonly output: () => string
  readonly errors: () => string
  readonly ready: Promise<void>
  readonly exit: Promise<number | null>
}

const children: Array<ChildProcess> = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill("SIGKILL")
    await once(child, "exit")
  }
})

const start = async (env: Readonly<Record<string, string>> = {}): Promise<Started> => {
  const port = Number(env["HUB_PORT"] ?? (await drawPort()))
  const data = await testFolder("process")
  const child = spawn(process.execPath, ["--no-warnings", await programPath("edge")], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HUB_ENV: "development",
      HUB_PORT: String(port),
      HUB_NATS_URL: nats.url,
      HUB_DATA: data,
      ...edgeKeys(randomBytes(32)),
      ...env
    }
  })
  children.push(child)
  let output = ""
  let errors = ""
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString()
  })
  return {
    child,
    port,
    data,
    output: () => output,
    errors: () => errors,
    ready: once(child, "message").then(([message]) => expect(message).toEqual({ ready: true })),
    // "close" never comes after a disconnect: the end of both streams says that all is read.
    exit: Promise.all(
      [child, child.stdout, child.stderr].map((part, index) =>
        part === null ? null : once(part, index === 0 ? "exit" : "close")
      )
    ).then(() => child.exitCode)
  }
}

const taken = async (): Promise<{ readonly port: number; readonly free: () => Promise<void> }> => {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    free: async () => void (await new Promise((resolve) => server.close(resolve)))
  }
}

describe("a port for scrapers that is taken", () => {
  it("is one line that says what to do, and status 78", async () => {
    const { port, free } = await taken()
    const edge = await start({ HUB_METRICS_PORT: String(port) })
    expect(await edge.exit).toBe(78)
    expect(edge.errors()).toBe(
      `HUB_METRICS_PORT: port ${port} is already in use; give this process another one, or 0 for none\n`
    )
    await free()
  })

  it("likewise of an actor process", async () => {
    const { port, free } = await taken()
    const env = {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HUB_ENV: "development",
      HUB_NATS_URL: nats.url,
      HUB_DATABASE_URL: "postgres://127.0.0.1:1/none",
      HUB_DATA: await testFolder("process"),
      HUB_METRICS_PORT: String(port)
    }
    const child = spawn(process.execPath, ["--no-warnings", await programPath("actor")], {
      cwd: projectRoot,
      stdio: ["ignore", "ignore", "pipe"],
      env
    })
    children.push(child)
    let errors = ""
    child.stderr?.on("data", (chunk: Buffer) => {
      errors += chunk.toString()
    })
    await Promise.all([once(child, "exit"), child.stderr === null ? null : once(child.stderr, "close")])
    expect([child.exitCode, errors]).toEqual([
      78,
      `HUB_METRICS_PORT: port ${port} is already in use; give this process another one, or 0 for none\n`
    ])
    await free()
  })
})

describe("the port for scrapers in production", () => {
  it("is on every interface, where one is named", async () => {
    const metrics = await drawPort()
    const edge = await start({ HUB_ENV: "production", HUB_METRICS_PORT: String(metrics) })
    await edge.ready
    expect(await (await fetch(`http://127.0.0.2:${metrics}/metrics`)).text()).toContain("hub_build_info{")
  })
})

describe("an edge's process", () => {
  it("says when it is ready, and by then it answers", async () => {
    const edge = await start()
    await edge.ready
    expect((await fetch(`http://127.0.0.1:${edge.port}/api/v1/health`)).status).toBe(200)
    edge.child.kill("SIGTERM")
    expect(await edge.exit).toBe(0)
    expect(edge.errors()).toBe("")
    expect(
      edge
        .output()
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { path: string }).path)
    ).toEqual(["/api/v1/health"])
  })

  it("goes on for as long as it is to leave, says so on its private port, and keeps no connection", async () => {
    const metrics = await drawPort()
    const edge = await start({ HUB_METRICS_PORT: String(metrics), HUB_LEAVE_SECONDS: "2" })
    await edge.ready
    const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${metrics}/ready`)).status
    const time = (): Promise<Response> => fetch(`http://127.0.0.1:${edge.port}/api/v1/time`)
    expect(await ready()).toBe(200)
    expect((await time()).headers.get("connection")).toBe("keep-alive")
    edge.child.kill("SIGTERM")
    await waitFor(async () => (await ready()) === 503, { describe: "an edge that says that it leaves" })
    const last = await time()
    expect([last.status, last.headers.get("connection")]).toEqual([200, "close"])
    expect(await edge.exit).toBe(0)
    await expect(time()).rejects.toThrow()
  })

  it("goes on for longer where connections still come, and ends all the same", async () => {
    const LEAVE_SECONDS = 1
    const edge = await start({ HUB_LEAVE_SECONDS: String(LEAVE_SECONDS) })
    await edge.ready
    const callers = Array.from({ length: 4 }, async () => {
      for (;;)
        if (
          !(await fetch(`http://127.0.0.1:${edge.port}/api/v1/time`, { headers: { connection: "close" } }).then(
            ({ ok }) => ok,
            () => false
          ))
        )
          return performance.now()
    })
    const told = performance.now()
    edge.child.kill("SIGTERM")
    const refused = await Promise.all(callers)
    expect(Math.min(...refused) - told).toBeGreaterThan(2 * LEAVE_SECONDS * 1000)
    expect(await edge.exit).toBe(0)
  })

  it.each(["SIGTERM", "SIGINT"] as const)("on %s ends what is under way and takes nothing new", async (signal) => {
    const edge = await start()
    await edge.ready
    const held = Promise.withResolvers<void>()
    node.forget()
    node.on("agent.me", async (ask) => {
      await held.promise
      return { data: { id: ask.actor } }
    })
    const agent = newIdentity()
    const headers = signatureHeaders(agent, { method: "GET", path: "/api/v1/me", host: `127.0.0.1:${edge.port}` })
    const underWay = fetch(`http://127.0.0.1:${edge.port}/api/v1/me`, { headers })
    await waitFor(() => node.asked("agent.me").length > 0)
    edge.child.kill(signal)
    await waitFor(
      () =>
        fetch(`http://127.0.0.1:${edge.port}/api/v1/time`).then(
          () => false,
          () => true
        ),
      { describe: "the port to be closed" }
    )
    held.resolve()
    expect((await underWay).status).toBe(200)
    expect(await edge.exit).toBe(0)
  })

  it("ends although the bus has not answered yet", async () => {
    const silent = createServer().listen(0, "127.0.0.1")
    await once(silent, "listening")
    const edge = await start({ HUB_NATS_URL: `nats://127.0.0.1:${(silent.address() as AddressInfo).port}` })
    const [line] = (await once(silent, "connection")) as [Socket]
    edge.child.kill("SIGTERM")
    expect(await edge.exit).toBe(0)
    line.destroy()
    silent.close()
  })

  it("ends when whoever started it is gone", async () => {
    const edge = await start()
    await edge.ready
    edge.child.disconnect()
    expect(await edge.exit).toBe(0)
  })

  it.each([
    [{ HUB_PORT: "99999" }, "HUB_PORT"],
    [{ HUB_BASE_URL: "nonsense" }, "HUB_BASE_URL"],
    [{ HUB_LIMITS: '{"nope":1}' }, "HUB_LIMITS"],
    [{ HUB_SERVER_PUBLIC_KEY: "short" }, "HUB_SERVER_PUBLIC_KEY"],
    [{ HUB_ADDRESS_KEY: "" }, "HUB_ADDRESS_KEY"],
    [{ HUB_BIND: "0.0.0.0" }, "HUB_BIND"],
    [{ HUB_BIND: "192.168.0.4" }, "HUB_BIND"],
    [{ HUB_HOSTS: "a b" }, "HUB_HOSTS"]
  ])("refuses %j with one line and exit code 78", async (env, name) => {
    const edge = await start(env)
    expect(await edge.exit).toBe(78)
    expect(edge.errors().trim().split("\n")).toHaveLength(1)
    expect(edge.errors()).toContain(name)
  })

  it("refuses a port in use by its name", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const edge = await start({ HUB_PORT: String((other.address() as AddressInfo).port) })
    expect(await edge.exit).toBe(78)
    expect(edge.errors()).toMatch(/^HUB_PORT: port \d+ is already in use\n$/)
    other.close()
  })

  it("has no key of the service, and shows the public one that it was given", async () => {
    const [given, seed] = [edgeKeys(randomBytes(32)), randomBytes(32).toString("base64")]
    const edge = await start({ ...(given as Record<string, string>), HUB_SERVER_KEY: seed })
    await edge.ready
    const { data } = (await (await fetch(`http://127.0.0.1:${edge.port}/api/v1`)).json()) as {
      data: { server_public_key: string }
    }
    expect(data.server_public_key).toBe(given["HUB_SERVER_PUBLIC_KEY"])
    expect(existsSync(join(edge.data, "server.key"))).toBe(false)
  })
})
