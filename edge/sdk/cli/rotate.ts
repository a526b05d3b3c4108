/**
 * Rotation that survives a crash at any moment.
 *
 * Invariants
 *  - The new key is in `key.next`, flushed, before anything is sent, and takes the place of `key` by one rename after
 *    the service has said that it holds. So the current key is always in one of the two files.
 *  - A `key.next` that is found later stands for a rotation of unknown outcome, which the service is asked about with
 *    both keys. Where the new one holds, it takes its place.
 *  - Where the old one still holds, the request may yet arrive: a signature is good for five minutes. So `key.next` is
 *    kept, and the next rotation uses it; dropped it is only when it is older than any request could be.
 */
import { type AgentKey, generateKey, type HubClient } from "../client.ts"
import type { Command } from "./command.ts"
import { Fault } from "./fault.ts"
import type { Home } from "./home.ts"

/** Three times as long as a signature is good for. */
const SETTLED_MS = 900_000

type Warn = (line: string) => void

/** The key that the service takes, with the folder's files in accordance with it. */
export const settledKey = async (home: Home, client: HubClient, warn: Warn): Promise<AgentKey> => {
  const next = await home.key("key.next")
  if (next === null) return home.needKey()
  const key = await home.key("key")
  const current = await client.currentKey(key === null ? [next] : [next, key])
  if (current === next) {
    await home.promoteNext()
    warn("a rotation that was broken off had been done: its new key is in place now")
    return next
  }
  if (key === null || current === null)
    throw new Fault("no_key_holds", `the hub takes neither key of ${home.folder}; both files stay as they are`)
  if ((await home.age("key.next")) > SETTLED_MS) {
    await home.dropNext()
    warn("a rotation that was broken off had not been done: its new key is dropped")
  }
  return key
}

/** The new key, kept: one that is there already is used, and counts as young again. */
const nextKey = async (home: Home): Promise<AgentKey> => {
  const kept = await home.key("key.next")
  if (kept !== null) {
    await home.touch("key.next")
    return kept
  }
  const key = await generateKey()
  await home.keep("key.next", key)
  return key
}

export const rotateCommand: Command = {
  usage: ["rotate"],
  summary: "replace the key by a new one",
  run: async (invocation) => {
    const { home, client } = await invocation.agent()
    const next = await nextKey(home)
    const rotated = await client.rotateKey(next)
    await home.promoteNext()
    invocation.print([`the key is now ${rotated.new_public_key}`, `retired: ${rotated.old_public_key}`], rotated)
  }
}
