/**
 * Rotates the agent's key so that a crash at any moment does no harm.
 *
 * Invariants
 *  - The new key is in `key.next`, flushed, before anything is sent, and takes the place of `key` by one rename after
 *    the service has said that it holds. So the current key is always in one of the two files.
 *  - A `key.next` that is found later stands for a rotation of unknown outcome, which the service is asked about with
 *    both keys. If the new one is valid, it takes its place.
 *  - If the old one is still valid, the request may yet arrive: a signature is good for five minutes. So `key.next` is
 *    kept, and the next rotation uses it; dropped it is only when it is older than any request could be.
 */
import { type AgentKey, generateKey } from "../client.ts"
import type { Command } from "./command.ts"
import type { Home } from "./home.ts"

/** Makes and stores the new key. If there is one already, it is used and its age starts again. */
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
