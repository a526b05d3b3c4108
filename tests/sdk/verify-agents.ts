/** A hub with an agent of each standing, and a verifier that knows them. */
import type { Verifier } from "../../edge/sdk/verify.ts"
import { type TestAgent, TestHub } from "./verify-hub.ts"

export let hub: TestHub
export let active: TestAgent
export let rotated: TestAgent
export let suspended: TestAgent
export let banned: TestAgent
export let retired: TestAgent
export let verifier: Verifier

export const openHub = async () => {
  hub = await TestHub.start()
  active = hub.agent()
  rotated = hub.agent()
  rotated.rotate()
  suspended = hub.agent("suspended")
  banned = hub.agent("banned")
  retired = hub.agent("retired")
  verifier = hub.verifier()
}
