/** The agent's own key, for a program that is to sign as the agent: it is sent to the service, sealed there at once. */
import type { Home } from "./home.ts"

/** Base64 of its seed. */
export const keyToSeed = async (home: Home): Promise<string> => {
  const key = await home.needKey()
  return key.exportSeed()
}
