/** Names of servers: a dead one holds up no other. */
import { createSocket } from "node:dgram"
import { mkdtemp, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { addressesOf, lookupIn, namedSocket, type NameSources } from "../../schemas/runtime/names.ts"
import { type NameServer, nameServer } from "../support/dns.ts"

let server: NameServer
let sources: NameSources

beforeAll(async () => {
  const folder = await mkdtemp(join(process.env["HUB_TEST_FOLDER"] ?? tmpdir(), "names-"))
  const [hostsFile, resolvFile] = [join(folder, "hosts"), join(folder, "resolv.conf")]
  await writeFile(hostsFile, "# comment\n10.0.0.9 Written other # alias\n::9 written\nnonsense written\n")
  await writeFile(resolvFile, "search svc.test far.test\noptions ndots:2\n")
  server = await nameServer(
    {
      "postgres.svc.test": { A: ["10.0.0.1"] },
      "nats.far.test": { A: ["10.0.0.2"], AAAA: ["::2"] },
      "six.test.": {},
      "a.b.test": { AAAA: ["::3"] },
      "whole.test": { A: ["10.0.0.4"] },
      "empty.svc.test": {}
    },
    new Set(["broken.svc.test"])
  )
  sources = {
    hostsFile,
    resolvFile,
    servers: [server.address],
    system: (name) => Promise.reject(Object.assign(new Error(`no ${name}`), { code: "ENOTFOUND" }))
  }
})
afterAll(() => server?.stop())

test.each([
  ["127.0.0.1", ["127.0.0.1"]],
  ["::1", ["::1"]],
  ["localhost", ["127.0.0.1"]],
  ["WRITTEN", ["10.0.0.9", "::9"]],
  ["postgres", ["10.0.0.1"]],
  ["nats", ["10.0.0.2"]],
  ["a.b.test", ["::3"]],
  ["whole.test.", ["10.0.0.4"]]
])("%s", async (name, addresses) => {
  expect(await addressesOf(name, sources)).toEqual(addresses)
})

test("what every server denies is left to the system", async () => {
  await expect(addressesOf("nobody", sources)).rejects.toMatchObject({ code: "ENOTFOUND" })
  await expect(addressesOf("empty", sources)).rejects.toMatchObject({ code: "ENOTFOUND" })
  const system: NameSources = { ...sources, system: () => Promise.resolve(["10.0.0.7"]) }
  expect(await addressesOf("nobody", system)).toEqual(["10.0.0.7"])
})

test("a failing server is said, and the system is not asked", async () => {
  const system: NameSources = { ...sources, system: () => Promise.resolve(["10.0.0.7"]) }
  await expect(addressesOf("broken", system)).rejects.toMatchObject({ code: "ESERVFAIL", hostname: "broken" })
})

test("dead names end by themselves, and a living one is found beside them", async () => {
  const dead = createSocket("udp4")
  try {
    await new Promise<void>((resolve) => dead.bind(0, "127.0.0.1", resolve))
    const silent = { ...sources, servers: [`127.0.0.1:${dead.address().port}`] }
    const gone = Array.from({ length: 16 }, (_, n) =>
      addressesOf(`gone-${n}`, silent).catch((error: unknown) => (error as NodeJS.ErrnoException).code)
    )
    expect(await addressesOf("postgres", sources)).toEqual(["10.0.0.1"])
    for (const code of await Promise.all(gone)) expect(["ETIMEOUT", "ECANCELLED"]).toContain(code)
  } finally {
    dead.close()
  }
})

test("a socket connects by it, with one address and with all", async () => {
  const listener = createServer((socket) => socket.end("here"))
  try {
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
    const { port } = listener.address() as AddressInfo
    const lookup = lookupIn(sources)
    const [text] = (await namedSocket(sources).connect(port, "localhost").toArray()) as ReadonlyArray<Buffer>
    expect(text?.toString()).toBe("here")
    const found = (options: { readonly all?: boolean }) =>
      new Promise((resolve) => lookup("written", options, (...told: ReadonlyArray<unknown>) => resolve(told)))
    expect(await found({})).toEqual([null, "10.0.0.9", 4])
    expect(await found({ all: true })).toEqual([
      null,
      [
        { address: "10.0.0.9", family: 4 },
        { address: "::9", family: 6 }
      ]
    ])
    const refused = namedSocket(sources)
    refused.connect(port, "nobody")
    expect(await new Promise((resolve) => refused.once("error", resolve))).toMatchObject({ code: "ENOTFOUND" })
  } finally {
    listener.close()
  }
})
