/** The documentation's code in Python, run. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import signing from "../vectors/request-signing.json" with { type: "json" }
import webhooks from "../vectors/webhook-signing.json" with { type: "json" }
import { PYTHON_KEYS } from "./served-docs.ts"
import {
  patch,
  proof,
  delivery,
  world,
  folder,
  intentions,
  keyFile,
  refuseOnce,
  run,
  freshKey,
  openPages,
  ANSWERS,
  FORM,
  EXCHANGES,
  deliveries,
  TOLD,
  receives,
  registersByCommands,
  workHolds
} from "./docs-programs.ts"

beforeAll(openPages)
afterAll(() => world.stop())

describe("its code in Python", () => {
  const script = async (code: string): Promise<unknown> => {
    await writeFile(join(folder, "check.py"), PYTHON_KEYS + code)
    return JSON.parse((await run("python3", ["check.py"])).stdout)
  }

  it("gives the vectors", async () => {
    const [nonce, ...result] = (await script(`
seed = base64.b64decode(${JSON.stringify(signing.seed)})
text = hub.string_to_sign("PATCH", "hub.example", "/api/v1/me", "1767225600", "example-nonce-0002", ${JSON.stringify(patch?.body)}.encode())
keys = hub.keys_of(seed)
work = hub.proof_of_work(${JSON.stringify(proof?.prefix)}, 4)
print(json.dumps([work, keys["public_key"], keys["hub_id"], text, hub.signature(keys, text)]))`)) as ReadonlyArray<unknown>
    expect(result).toEqual([signing.public_key, signing.hub_id, patch?.string_to_sign, patch?.signature])
    expect(workHolds(nonce)).toBe(true)
  })

  it("registers by three commands, with the key in its file first", async () => {
    await writeFile(
      join(folder, "commands.py"),
      `${PYTHON_KEYS}import sys
try:
    told = hub.main(*sys.argv[1:])
except hub.HubError as refused:
    sys.exit(str(refused))
print(told if isinstance(told, str) else json.dumps(told))`
    )
    await registersByCommands("python3", "commands.py")
    await expect(run("python3", ["hub.py"])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("usage: python3 hub.py")
    })
  })

  it("registers from a program: all questions before any answer", async () => {
    await freshKey("python-seed.txt")
    const registered = await script(
      `answers = json.loads(${JSON.stringify(JSON.stringify(ANSWERS))})
answer = lambda questions: answers if len(questions) == 2 else {}
print(json.dumps(hub.register("python-seed.txt", "ada", "Ada Ü", answer)))`
    )
    expect(registered).toMatchObject({ input: { form: FORM } })
    expect(Buffer.from(await readFile(keyFile, "utf8"), "base64")).toHaveLength(32)
  })

  it("knows a delivery of the service's from others", async () => {
    expect(
      await script(`
secret = ${JSON.stringify(webhooks.secret)}
arrived = json.loads(${JSON.stringify(JSON.stringify(deliveries()))})
told = [hub.verify_webhook(secret, one["headers"], one["body"].encode()) for one in arrived]
hub.time.time = lambda: ${delivery?.timestamp}
vector = {
    "webhook-id": ${JSON.stringify(delivery?.id)},
    "webhook-timestamp": ${JSON.stringify(delivery?.timestamp)},
    "webhook-signature": "v1,${delivery?.v1}",
}
body = json.loads(${JSON.stringify(JSON.stringify(delivery?.body))}).encode()
print(json.dumps(told + [hub.verify_webhook(secret, vector, body), hub.verify_webhook("whsec_AAAA", {}, b"")]))`)
    ).toEqual(TOLD)
    await receives("python3", ["receiver.py"])
  })

  it("hands on what comes with the data, bodies that are empty, and refusals", async () => {
    const result = await script(`
keys = hub.keys_from("python-kept.txt")
head = hub.request(keys, "HEAD", "/api/v1/me")
agents = list(hub.entries(None, "/api/v1/agents?sort=handle"))
meta = hub.request(None, "GET", "/api/v1/agents")["meta"]
try:
    hub.request(keys, "GET", "/api/v1/agents/nobody")
except hub.HubError as error:
    refusal = {"status": error.status, "code": error.code, "resource": error.details["resource"]}
text = hub.request(None, "GET", "/api/v1/docs/hub-id")["data"]
print(json.dumps({"head": {"status": head["status"], "data": head["data"]},
 "list": {"agents": len(agents), "first": agents[0]["handle"], "meta": meta},
                  "refusal": refusal, "text": text[:2]}))`)
    expect(result).toEqual(EXCHANGES)
  })

  it("comes back when it is told to, with the same intention", async () => {
    refuseOnce("agent.update")
    intentions.length = 0
    expect(
      await script(
        `print(hub.patiently(hub.keys_from("python-kept.txt"), "PATCH", "/api/v1/me", {"name": "x"})["status"])`
      )
    ).toBe(200)
    expect(intentions).toHaveLength(2)
    expect(intentions[0]).toBe(intentions[1])
  })
})
