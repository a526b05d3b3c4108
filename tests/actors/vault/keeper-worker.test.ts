/** Commits of vaults that come again to the keeper, between a log, actors and a store that are played here. */
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import type { Message } from "../../../actors/kit/worker/message.ts"
import type { Asking } from "../../../actors/kit/worker/asks.ts"
import { decidePublishKey } from "../../../actors/vault/decide.ts"
import { evolveVault } from "../../../actors/vault/evolve.ts"
import { keeperWorker } from "../../../actors/vault/keeper/worker.ts"
import type { VaultEvent, VaultState } from "../../../actors/vault/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { waitFor } from "../../harness/index.ts"
import { openScope } from "../../support/scope.ts"

const UID = "0d155771-8b7d-4ac4-bcef-166fd4a481c7"
const CREATED: VaultEvent = { type: "vault.created", v: 1, uid: UID }
const REVOKED: VaultEvent = { type: "vault.revoked", v: 1, uid: UID, by: "agent" }

const played = async () => {
  let [vault, seq]: [VaultState, number] = [null, 0]
  const keys = new Map<string, string>()
  /** An actor answers a command that it knows with its first reply. */
  const replies = new Map<string, object>()
  const waiting: Array<Message> = []
  const acked: Array<number> = []
  let wake: () => void = () => undefined
  const fold = (events: ReadonlyArray<VaultEvent>): void => {
    for (const event of events) vault = evolveVault(vault, event, { at: 1 })
  }
  const ask = ((id: string, _op: string, _actor: string, input: never) =>
    Effect.suspend(() => {
      const decision = replies.get(id) ?? decidePublishKey(vault, input)
      replies.set(id, decision)
      if ("refused" in decision) return Effect.fail(decision.refused)
      if ("events" in decision) fold(decision.events as ReadonlyArray<VaultEvent>)
      return Effect.succeed(null)
    })) as Asking
  const scope = openScope()
  onTestFinished(scope.close)
  await scope.make(
    keeperWorker({
      ask,
      bounds: LIMITS.service.vault,
      store: {
        publicKeyOf: (uid) => Promise.resolve(keys.get(uid) ?? null),
        keep: (uid, { public_key }) => {
          keys.set(uid, public_key)
          return Promise.resolve(public_key)
        },
        eraseKey: (uid) => Promise.resolve(void keys.delete(uid))
      },
      source: {
        fetch: (max, receive) =>
          Effect.gen(function* () {
            if (waiting.length === 0) yield* Effect.promise(() => new Promise<void>((resolve) => (wake = resolve)))
            for (const one of waiting.splice(0, max)) receive(one)
          })
      }
    })
  )
  /** Resolves when the worker has acknowledged the commit. */
  const give = async (event: VaultEvent): Promise<void> => {
    const number = ++seq
    const data = Buffer.from(JSON.stringify({ v: 1, id: "c", op: "o", at: 0, events: [event] }))
    const ack = (): void => void acked.push(number)
    waiting.push({ seq: number, delivery: "hx1", data, given: 1, ack, nak: () => undefined, working: () => undefined })
    wake()
    await waitFor(() => acked.includes(number), { describe: `an acknowledgement of ${event.type}` })
  }
  return { keys, fold, give }
}

test("the creation of a vault that comes again after its revocation leaves no key behind", async () => {
  const { keys, fold, give } = await played()
  fold([CREATED])
  await give(CREATED)
  expect(keys.size).toBe(1)
  await give(CREATED)
  expect(keys.size).toBe(1)
  fold([REVOKED])
  await give(REVOKED)
  expect(keys.size).toBe(0)
  await give(CREATED)
  expect(keys.size).toBe(0)
})
