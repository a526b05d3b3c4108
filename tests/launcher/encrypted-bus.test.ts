/** A bus that encrypts (`tls://`): nodes and commands trust its authority alone, and tell nobody else their passwords. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type Server, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { connect } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { edgeKeys } from "../../ops/launcher/node-environment.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { type Servers, startServers } from "../harness/servers.ts"
import { authority } from "../support/certificates.ts"

const PORT = 18_461
const SEED = Buffer.alloc(32, 7)

let folder: string
let servers: Servers
const trusted = getCACertificates("default")
const ours = authority("Authority of the bus")

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-tls-"))
  const { cert, key } = ours.issue({ names: ["localhost", "127.0.0.1"] })
  const kept = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  kept("ca.pem", ours.cert)
  setDefaultCACertificates([...trusted, ours.cert])
  servers = await startServers({
    natsConfig: `tls { cert_file: "${kept("cert.pem", cert)}", key_file: "${kept("key.pem", key)}", timeout: 20 }`
  })
})
afterAll(async () => {
  await servers?.stop()
  setDefaultCACertificates(trusted)
  await rm(folder, { recursive: true, force: true })
})

const encrypted = (url: string): string => url.replace("nats://", "tls://")

const environment = (more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HUB_ENV: "development",
  HUB_DATA: folder,
  HUB_DATABASE_URL: servers.postgres.url,
  ...more
})

const begun = (entry: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const child = fork(join(projectRoot, entry), [...args], { env: environment(env), silent: true })
  let told = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (told += chunk.toString()))
  return { child, told: () => told }
}
type Begun = ReturnType<typeof begun>

/** Rejects, with what it said, where it ends instead. */
const readyOf = async ({ child, told }: Begun): Promise<void> => {
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`it ended: ${told()}`)))
  const [message] = await Promise.race([once(child, "message"), ended])
  expect(message).toEqual({ ready: true })
}
const endOf = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return
  child.kill("SIGTERM")
  await once(child, "exit")
}

test("an actor node, an edge and a command work over it", async () => {
  const known = { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") }
  const urlFor = (node: "edge" | "actor") => encrypted(servers.natsUrlFor(node, undefined))
  const migrated = begun("ops/cli/main.ts", ["migrate"], { ...known, HUB_NATS_URL: encrypted(servers.nats.url) })
  await once(migrated.child, "exit")
  expect(migrated.told()).toContain("up to date")
  const actor = begun("actors/main.ts", [], {
    ...known,
    HUB_SERVER_KEY: SEED.toString("base64"),
    HUB_NATS_URL: urlFor("actor")
  })
  const edge = begun("edge/main.ts", [], {
    ...known,
    ...edgeKeys(SEED),
    HUB_NATS_URL: urlFor("edge"),
    HUB_PORT: String(PORT)
  })
  try {
    await Promise.all([readyOf(actor), readyOf(edge)])
    expect((await fetch(`http://127.0.0.1:${PORT}/api/v1/health`)).status).toBe(200)
    const status = begun("ops/cli/main.ts", ["status"], { ...known, HUB_NATS_URL: encrypted(servers.nats.url) })
    await once(status.child, "exit")
    expect(status.told()).toMatch(/^healthy/m)
  } finally {
    await Promise.all([endOf(edge.child), endOf(actor.child)])
  }
})

test("whoever does not know its authority is not let in, and says why", async () => {
  const status = begun("ops/cli/main.ts", ["replay", "agent", "nobody"], { HUB_NATS_URL: encrypted(servers.nats.url) })
  await once(status.child, "exit")
  expect(status.told()).toMatch(/certificate/)
  expect(status.child.exitCode).not.toBe(0)
})

/** It says that it is a server of the bus, and that it does not encrypt. */
const pretender = async (heard: Array<string>): Promise<Server> => {
  const server = createServer((socket: Socket) => {
    socket.on("data", (data) => void heard.push(data.toString()))
    socket.on("error", () => undefined)
    socket.write('INFO {"server_id":"A","version":"2.15.1","proto":1,"max_payload":1048576,"headers":true}\r\n')
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return server
}

test("a server that does not encrypt hears no password", async () => {
  const heard: Array<string> = []
  const server = await pretender(heard)
  try {
    const url = `tls://edge:password@127.0.0.1:${(server.address() as AddressInfo).port}`
    await expect(connect({ ...busServers(url, "edge"), reconnect: false, timeout: 5000 })).rejects.toThrow(/tls/i)
    expect(heard).toEqual([])
  } finally {
    server.close()
  }
})
