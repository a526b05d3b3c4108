/**
 * A pause between the steps of a load that runs until it is stopped. Without it the load would take all cores from the
 * system under test and from other test files, and would not test more.
 */
import { setTimeout as delay } from "node:timers/promises"

const PAUSE_MS = 25

export const breath = (): Promise<void> => delay(PAUSE_MS)
