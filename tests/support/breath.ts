/**
 * The pause of whoever writes or reads until it is told to end. Without one a load takes all cores: from what it is there
 * to try, and from the files beside it, and is no harder a trial for that.
 */
import { setTimeout as delay } from "node:timers/promises"

const PAUSE_MS = 25

export const breath = (): Promise<void> => delay(PAUSE_MS)
