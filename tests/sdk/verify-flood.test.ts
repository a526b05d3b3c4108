/** What a flood of forged requests costs: counted in verifications, by an Ed25519 that counts. */
import { createPublicKey, verify } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { BOUNDS, type Ed25519, type PlainRequest, type Verifier } from "../../edge/sdk/verify.ts"
import { newKey, type TestAgent, TestHub } from "./verify-hub.ts"

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex")

let verifications = 0
const counting: Ed25519 = {
  verify: (signature, message, publicKey) => {
    verifications++
    return verify(
      null,
      message,
      createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" }),
      signature
    )
  }
}

let hub: TestHub
let plain: TestAgent
let busy: TestAgent

beforeAll(async () => {
  hub = await TestHub.start()
  plain = hub.agent()
  busy = hub.agent()
  for (let time = 0; time < 20; time++) busy.rotate()
  // Without the runtime's own, the counting one is used.
  vi.stubGlobal("crypto", { getRandomValues: (array: Uint32Array) => array.fill(7) })
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined)
})
afterAll(async () => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  await hub.stop()
})

const started = async (hosts: ReadonlyArray<string>): Promise<Verifier> => {
  const verifier = hub.verifier({ hosts, ed25519: counting })
  expect(await verifier.check(plain.request({ host: hosts[0] ?? "" }))).toMatchObject({ valid: true })
  verifications = 0
  return verifier
}

const eight = Array.from({ length: BOUNDS.hosts }, (_, index) => `h${index}.example`)

describe("a forged request costs", () => {
  beforeEach(() => hub.clock.pass(3600))

  it.each<readonly [string, ReadonlyArray<string>, () => PlainRequest, number]>([
    ["one verification", ["shop.example"], () => plain.request({ key: newKey() }), 1],
    ["one for each host", eight, () => plain.request({ key: newKey() }), BOUNDS.hosts],
    [
      "one for each key that is kept",
      ["shop.example"],
      () => busy.request({ key: newKey() }),
      1 + BOUNDS.retiredKeysPerAgent
    ],
    [
      "no more than that for the worst",
      eight,
      () => busy.request({ key: newKey() }),
      BOUNDS.hosts * (1 + BOUNDS.retiredKeysPerAgent)
    ],
    ["none, where its time is past", eight, () => busy.request({ timestamp: "1700000000" }), 0],
    [
      "none, where its signature is no signature",
      eight,
      () => ({ ...busy.request(), headers: { ...busy.request().headers, "Hub-Signature": "A".repeat(85) } }),
      0
    ],
    [
      "none, where nobody has its number",
      eight,
      () => ({ ...busy.request(), headers: { ...busy.request().headers, "Hub-Id": "HX-000000" } }),
      0
    ],
    [
      "none, where its target is no target",
      eight,
      () => ({ ...busy.request(), path: "/".repeat(BOUNDS.targetChars + 1) }),
      0
    ]
  ])("%s", async (_name, hosts, forged, cost) => {
    const verifier = await started(hosts)
    const count = 20
    for (let time = 0; time < count; time++) expect((await verifier.check(forged())).valid).toBe(false)
    expect(verifications).toBe(cost * count)
    expect(verifier.state().nonces).toBe(1)
  })

  it("one attempt on the directory a minute, however many there are", async () => {
    const verifier = await started(["shop.example"])
    const before = hub.directoryReads
    for (let second = 0; second < 180; second++) {
      hub.clock.pass(1)
      await Promise.all(
        Array.from({ length: 20 }, () => verifier.check(plain.request({ host: "shop.example", key: newKey() })))
      )
      // However long a read takes here, it is over within its second of the test's clock.
      await verifier.settled()
    }
    expect(hub.directoryReads - before).toBe(3)
  })
})
