/**
 * Gives the agent's own key to a program that must sign as the agent. The key is sent to the service, which seals it at
 * once.
 */
import type { Home } from "./home.ts"

/** The seed in base64. */
export const keyToSeed = async (home: Home): Promise<string> => {
  const key = await home.needKey()
  return key.exportSeed()
}
