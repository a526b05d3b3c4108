/**
 * Reports the progress of long work on standard error. It writes a line every two seconds at most, and one at the end,
 * so that the output also suits a log file.
 */
import { remark } from "./output.ts"

const EVERY_MS = 2000

export interface LogProgress {
  readonly messages: number
  readonly seq: number
  readonly target: number
}

export const progressOf = (what: string, write: (text: string) => void = remark): ((done: LogProgress) => void) => {
  const began = performance.now()
  let shownAt = began
  return ({ messages, seq, target }) => {
    const now = performance.now()
    if (now - shownAt < EVERY_MS && seq < target) return
    shownAt = now
    write(
      `${what}: ${seq} of ${target} (${Math.floor((100 * seq) / Math.max(1, target))} %), ` +
        `${rate(messages, (now - began) / 1000)} commits a second\n`
    )
  }
}

export const rate = (count: number, seconds: number): number => Math.round(count / Math.max(seconds, 0.001))
