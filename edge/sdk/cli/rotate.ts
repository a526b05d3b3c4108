/**
 * Rotates the agent's key so that a crash at any moment does no harm.
 *
 * Invariants
 *  - The new key is written to `key.next` and flushed before anything is sent. It replaces `key` by one rename after
 *    the service has accepted it. So the current key is always in one of the two files.
 *  - An existing `key.next` belongs to a rotation with unknown outcome. The service is asked with both keys. If the new
 *    one is valid, it replaces the old one.
 *  - If the old one is still valid, the request may arrive later, because a signature is valid for five minutes. So
 *    `key.next` is kept, and the next rotation uses it. It is deleted only when it is older than any request could be.
 */
import { type AgentKey, generateKey } from "../client.ts"
import type { Command } from "./command.ts"
import type { Home } from "./home.ts"

/** Makes and stores the new key. If there is one already, it is used, and its age is set to zero. */
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
