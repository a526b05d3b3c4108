/**
 * Finds out which key of a folder the service accepts. rotate.ts describes the files that an interrupted rotation
 * leaves.
 */
import type { AgentKey, HubClient } from "../client.ts"
import { Fault } from "./fault.ts"
import type { Home } from "./home.ts"

/** Three times the validity of a signature. */
const SETTLED_MS = 900_000

type Warn = (line: string) => void

/** Returns the key that the service accepts, after updating the folder's files. */
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
