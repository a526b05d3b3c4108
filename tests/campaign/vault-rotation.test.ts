/**
 * HUB_VAULT_KEY is rotated while fill services load keys without pause and the keeper restarts: each of them gets the key
 * that its vault always had, and vaults that are made meanwhile get theirs (decision 0062).
 */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { breath } from "../support/breath.ts"
import { operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { asHolder, issueToken, oneTimeKey, persistently, VAULT, type WithVault, withVault } from "../support/vault.ts"

const VAULTS = 6
/** Less than an agent may have tokens. */
const PLACES = 8
const asked = new Map<string, number>()

/** Each place after all the others. */
const nextPlace = (agent: string): string => {
  const count = asked.get(agent) ?? 0
  asked.set(agent, count + 1)
  return `place-${count % PLACES}`
}
const KEYS = Array.from({ length: 3 }, () => randomBytes(32).toString("base64"))

let keys: Readonly<Record<string, string>> = { HUB_VAULT_KEY: KEYS[0] ?? "" }
let service: TestService
beforeAll(async () => {
  service = await testService({ edges: 2, actors: 2, keeper: true, nodeEnv: (role) => (role === "keeper" ? keys : {}) })
})
afterAll(() => service?.stop())

const restarted = async (next: Readonly<Record<string, string>>): Promise<void> => {
  keys = next
  await service.system.keeper?.stop()
  await service.system.keeper?.restart()
}

/**
 * While the keeper is away, whoever asks it tries again, each time for another place: a question that was not answered may
 * be done yet, and a token ends with the next of its place.
 */
const loaded = async ({ agent }: WithVault): Promise<string> => {
  const token = await waitFor(() => issueToken(service, agent.id, nextPlace(agent.id)), { describe: "a token" })
  const { ephemeral_public_key, open } = await oneTimeKey()
  const ask = persistently(asHolder(service, token))
  const answer = await ask("POST", `${VAULT}/service/key`, { ephemeral_public_key }, crypto.randomUUID())
  return Buffer.from(open(dataOf<{ readonly sealed_key: string }>(answer).sealed_key)).toString("base64")
}

test("a rotation under load changes no vault's key, and none is lost", async () => {
  const vaults = await Promise.all(Array.from({ length: VAULTS }, () => withVault(service)))
  const first = await Promise.all(vaults.map((of) => loaded(of)))
  const done = { rotated: false }
  const loads = vaults.map(() => 0)
  const loading = vaults.map(async (of, index) => {
    do {
      expect(await loaded(of)).toBe(first[index])
      loads[index] = (loads[index] ?? 0) + 1
      await breath()
    } while (!done.rotated)
  })
  const more = (count: number): Promise<unknown> => {
    const wanted = loads.map((so) => so + count)
    return waitFor(() => loads.every((so, index) => so >= (wanted[index] ?? 0)), { describe: "keys that are loaded" })
  }
  const rotating = async (): Promise<ReadonlyArray<WithVault>> => {
    const made: Array<WithVault> = []
    for (const [index, next] of KEYS.slice(1).entries()) {
      await more(2)
      await restarted({ HUB_VAULT_KEY: next, HUB_VAULT_KEY_FORMER: KEYS[index] ?? "" })
      made.push(await withVault(service))
      const both = await Promise.all([1, 2].map(() => operate(service.system, ["vault", "rewrap"])))
      for (const said of both) expect(said).toMatch(/^\d+ keys were brought/)
      expect(await operate(service.system, ["vault", "rewrap"])).toMatch(/^0 keys were brought/)
      await more(1)
      await restarted({ HUB_VAULT_KEY: next })
    }
    await more(2)
    done.rotated = true
    return made
  }
  const [made] = await Promise.all([rotating(), ...loading])
  for (const of of made) expect(await loaded(of)).toHaveLength(44)
})
