/** Every language signs alike; and the faults that the guide names are told as it says. */
import { createHash, randomUUID, sign } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { signedHeaders } from "../support/identity.ts"
import { send } from "../support/http.ts"
import { detailsOf, outcome } from "../support/outcome.ts"
import { type Agent, anAgent, edge, file, folder, languages, type Ran, run, said } from "./programs.ts"

type Call = (args: ReadonlyArray<string>, agent: Agent) => Promise<Ran>

const CALLS: Readonly<Record<string, Call>> = {
  ts: (args, { env }) => run(process.execPath, [file("call.mts"), ...args], env),
  python: (args, { env }) => run("python3", [file("signed.py"), ...args], env),
  sh: (args, { env }) => run("sh", ["-c", `. ./${file("signed.sh")}; hub "$@"`, "sh", ...args], env),
  rust: async (args, { env }) => {
    if (!existsSync(join(folder, "sign"))) await said("rustc", ["--edition", "2021", file("sign.rs")])
    return run("./sign", args, env)
  },
  go: (args, { env }) => run("go", ["run", file("sign.go"), ...args], env)
}

const found = Object.entries(CALLS).filter(([language]) => languages.includes(language))

const dataIn = (ran: Ran): Readonly<Record<string, unknown>> => {
  if (ran.status !== 0) throw new Error(`${ran.status}: ${ran.stdout}${ran.stderr}`)
  return (JSON.parse(ran.stdout) as { data: Readonly<Record<string, unknown>> }).data
}

const DESCRIPTION = 'I count "things", ä and 😀.'

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const BODY = '{"description":"x"}'

/** The answer to a request whose seven lines were signed with a fault in them. */
const told = async ({ client }: Agent, fault: (lines: Array<string>) => ReadonlyArray<string>) => {
  const path = "/api/v1/me?x=1"
  const { host } = new URL(edge)
  const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), randomUUID()]
  const headers = signedHeaders(client.identity, { method: "PATCH", host, path, body: BODY, timestamp, nonce })
  const text = fault(["HUB-V2", "PATCH", host, path, timestamp, nonce, sha256(BODY)]).join("\n")
  const signature = sign(null, Buffer.from(text), client.identity.privateKey).toString("base64")
  const wrong = { ...headers, "x-hub-signature": signature }
  return send({ edge, method: "PATCH", path, body: BODY, headers: wrong })
}

export const signingSamples = (): void => {
  test("node, python3 and a shell are there; others are run where they are", () => {
    expect(languages).toEqual(expect.arrayContaining(["ts", "python", "sh"]))
  })

  test.each(found)("%s reads, writes and hears refusals", async (_language, call) => {
    const agent = await anAgent()
    expect(dataIn(await call(["GET", "/api/v1/me"], agent))).toMatchObject({ handle: agent.registered.handle })
    const body = JSON.stringify({ description: DESCRIPTION })
    expect(dataIn(await call(["PATCH", "/api/v1/me", body], agent))).toMatchObject({ description: DESCRIPTION })
    const listed = await call(["GET", "/api/v1/me/scores?limit=1&x=%2f+%20~"], agent)
    expect(dataIn(listed)).toMatchObject({ trust: 10 })
    const refused = await call(["GET", "/api/v1/agents/nobody-at-all"], agent)
    expect([refused.status === 0, refused.stdout.includes("not_found")]).toEqual([false, true])
  })

  test("the shell's example runs as it stands", async () => {
    const agent = await anAgent()
    const out = await said("sh", [file("profile.sh")], agent.env)
    expect(out).toContain(`"handle":"${agent.registered.handle}"`)
    expect(out).toContain("I count things, ä and ö among them.")
    expect(out).toContain('"per_page":1')
  })

  test("the key that it makes is for its owner alone", async () => {
    const printed = await said("sh", [file("new-key.sh")], { HUB_KEY: "new.pem" })
    expect(printed.trim()).toMatch(/^[A-Za-z0-9+/]{43}=$/)
    expect(statSync(join(folder, "new.pem")).mode & 0o777).toBe(0o600)
    file("signed.mts")
    const script = 'import { keyFrom, publicKeyOf } from "./signed.mts"; process.stdout.write(publicKeyOf(keyFrom()))'
    const read = await said(process.execPath, ["--input-type=module", "-e", script], { HUB_KEY: "new.pem" })
    expect(read).toBe(printed.trim())
  })

  test.each<[string, (lines: Array<string>) => ReadonlyArray<string>, RegExp]>([
    ["the query", (lines) => lines.with(3, "/api/v1/me"), /with its query/],
    ["the body", (lines) => lines.with(6, sha256('{"description": "x"}')), /The body's hash/],
    ["a line feed", (lines) => [...lines, ""], /line feed/],
    ["the host", (lines) => lines.with(2, new URL(edge).hostname), /The host line/],
    ["milliseconds", (lines) => lines.with(4, `${lines[4]}000`), /milliseconds/]
  ])("the guide's fault is told for what it is: %s", async (_what, fault, hint) => {
    const answer = await told(await anAgent(), fault)
    expect([outcome(answer), detailsOf(answer)["hint"]]).toEqual([
      "401 auth_bad_signature",
      expect.stringMatching(hint)
    ])
  })
}
