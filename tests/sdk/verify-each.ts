/** A hub and an agent of it, new for each test. */
import { type TestAgent, TestHub } from "./verify-hub.ts"

export let hub: TestHub
export let agent: TestAgent

export const openHub = async (): Promise<void> => {
  hub = await TestHub.start()
  agent = hub.agent()
}

export const closeHub = (): Promise<void> => hub.stop()
