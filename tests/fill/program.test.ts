/** The fill service as a program: how it starts, whom it answers, how it ends (spec 4.12; contract 17). */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readOptions } from "../../edge/fill/options.ts"
import { programPath } from "../harness/index.ts"
import { askFill, type FillProcess, startFill, told } from "../support/fill.ts"
import { type TestService, testService } from "../support/service.ts"
import { issueToken, type WithVault, withVault } from "../support/vault.ts"

/** Nobody listens there. */
const NO_BROWSER = "http://127.0.0.1:9"

const TOKEN = `hxv_${"0".repeat(24)}${"A".repeat(43)}`

const refusalOf = (args: ReadonlyArray<string>): string => {
  try {
    readOptions(args, {})
    return ""
  } catch (error) {
    return String(error)
  }
}

let service: TestService
let of: WithVault
let fill: FillProcess
let hub: string
beforeAll(async () => {
  service = await testService({ keeper: true })
  hub = service.edges[0] ?? ""
  of = await withVault(service)
  fill = await startFill({ token: await issueToken(service, of.agent.id), cdp: NO_BROWSER, hub })
})
afterAll(async () => {
  await fill?.stop()
  await service?.stop()
})

const ask = (method: string, path: string, body?: object | string, headers = {}) =>
  askFill(fill.url, method, path, body, headers)

describe("a start", () => {
  it("loads the key, and says where it listens", async () => {
    const answer = await ask("GET", "/status")
    expect(answer.json).toEqual({ ready: true, vault: of.vault.uid, loaded_at: expect.any(String) })
    expect(fill.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })

  it.each([0o640, 0o604, 0o644])("is refused with a token file of mode %o", async (mode) => {
    const token = await issueToken(service, of.agent.id, "elsewhere")
    await expect(startFill({ token, cdp: NO_BROWSER, hub, mode })).rejects.toThrow(/ended with 1.*chmod 600/s)
  })

  it("is refused with a token that has ended, or whose key was taken", async () => {
    const other = await withVault(service)
    const [first, second] = [await issueToken(service, other.agent.id), await issueToken(service, other.agent.id)]
    await expect(startFill({ token: first, cdp: NO_BROWSER, hub })).rejects.toThrow("token_invalid")
    const running = await startFill({ token: second, cdp: NO_BROWSER, hub })
    await expect(startFill({ token: second, cdp: NO_BROWSER, hub })).rejects.toThrow("vault_key_taken")
    expect(await running.stop("SIGINT")).toBe(0)
  })

  it("says in harmless letters and one line why a hub refuses", async () => {
    const refusal = {
      error: { code: "odd\u001b[31m", message: "\u001b]0;title\u0007a\u202eb\u009b2J\nhub fill: ready" }
    }
    const evil = createServer((_, response) => response.writeHead(403).end(JSON.stringify(refusal)))
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve))
    const { port } = evil.address() as AddressInfo
    const token = await issueToken(service, of.agent.id, "misled")
    const start = startFill({ token, cdp: NO_BROWSER, hub: `http://127.0.0.1:${port}` })
    const said = await start.then(
      () => "",
      (error: unknown) => String(error)
    )
    evil.close()
    expect(said).toContain("the hub refuses: odd\\u001b[31m: \\u001b]0;title\\u0007a\\u202eb\\u009b2J hub fill: ready")
    expect(said.replaceAll(/[\x20-\x7e\n]/g, "")).toBe("")
  })

  it("repeats no token that stands where a file's name belongs", async () => {
    const child = spawn(process.execPath, [await programPath("fill"), "--token-file", TOKEN, "--cdp", NO_BROWSER])
    let said = ""
    child.stderr.on("data", (part) => (said += String(part)))
    const [status] = (await once(child, "close")) as [number | null]
    expect(status).toBe(1)
    expect(said).toMatch(/^hub fill: --token-file: there is no file hxv_\*\*\*\n$/)
    expect(refusalOf([TOKEN])).toMatch(/takes no hxv_\*\*\*/)
  })

  it("is refused with a hub that it would have to shout at", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hub-fill-"))
    const read =
      (args: ReadonlyArray<string>, env = {}) =>
      () =>
        readOptions(args, env)
    expect(read([])).toThrow("--token-file")
    expect(read(["--token-file", join(folder, "none")])).toThrow("--cdp")
    expect(read(["--token-file", join(folder, "none"), "--cdp", "x"])).toThrow("--cdp")
    expect(read(["--token-file", join(folder, "none"), "--cdp", NO_BROWSER])).toThrow("there is no file")
    expect(read(["--port"])).toThrow("npm run -s fill")
    const far = { HUB_URL: "http://hub.example" }
    expect(read(["--token-file", folder, "--cdp", NO_BROWSER], far)).toThrow("https alone")
    await rm(folder, { recursive: true })
  })
})

describe("a request", () => {
  it.each([
    ["without the header", { "x-hub-vault": undefined }],
    ["with another header", { "x-hub-vault": "true" }],
    ["with an origin", { origin: "https://shop.example" }],
    ["with the origin of nobody", { origin: "null" }],
    ["for another name, bound to this address", { host: "rebound.example:7777" }],
    ["for this name without the port", { host: "127.0.0.1" }],
    ["for another port", { host: "127.0.0.1:1" }]
  ])("%s is refused, whatever it asks for", async (_, headers) => {
    for (const [method, path] of [
      ["GET", "/status"],
      ["POST", "/login"],
      ["OPTIONS", "/login"],
      ["GET", "/none"]
    ] as const) {
      expect(told(await ask(method, path, undefined, headers))).toBe("403 request_refused")
    }
  })

  it("for localhost is taken", async () => {
    const host = `localhost:${new URL(fill.url).port}`
    expect((await ask("GET", "/status", undefined, { host })).status).toBe(200)
  })

  it("for what is not there says so", async () => {
    expect(told(await ask("GET", "/none"))).toBe("404 not_found")
    expect(told(await ask("GET", "/constructor"))).toBe("404 not_found")
    expect(told(await ask("GET", "/login"))).toBe("405 method_not_allowed")
  })

  it.each([
    ["/login", "[]", "body"],
    ["/login", "{", "body"],
    ["/login", { entry_id: "1" }, "entry_id"],
    ["/login", { entry_id: 0 }, "entry_id"],
    ["/login", { submit: "yes" }, "submit"],
    ["/login", { tab: "" }, "tab"]
  ] as ReadonlyArray<[string, object | string, string]>)("%s with %j names the field", async (path, body, field) => {
    const answer = await ask("POST", path, body)
    expect([told(answer), answer.json["field"]]).toEqual(["422 validation_error", field])
  })

  it("of more than it reads is refused", async () => {
    expect(told(await ask("POST", "/login", { tab: "x".repeat(65_536) }))).toBe("413 request_too_large")
  })

  it("without a browser says so, and holds nothing secret", async () => {
    const answer = await ask("POST", "/login", {})
    expect(told(answer)).toBe("502 browser_unreachable")
    expect(answer.headers).toMatchObject({ "cache-control": "no-store" })
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin")
  })

  it("with two hosts, or with none, is refused", async () => {
    const { port, host } = new URL(fill.url)
    const raw = (head: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), "127.0.0.1", () => socket.end(`${head}\r\nX-Hub-Vault: 1\r\n\r\n`))
        let text = ""
        socket.on("data", (part) => (text += part.toString("utf8")))
        socket.on("end", () => resolve(text.split("\r\n", 1)[0] ?? ""))
        socket.on("error", reject)
      })
    expect(await raw("GET /status HTTP/1.0")).toMatch(/ 403 /)
    expect(await raw(`GET /status HTTP/1.1\r\nConnection: close\r\nHost: ${host}\r\nHost: other.example`)).toMatch(
      / (400|403) /
    )
  })
})
