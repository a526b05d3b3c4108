/**
 * Reports the progress of copying on standard error: a line every two seconds at most, and one for each finished
 * stream.
 */
import { remark } from "./output.ts"

const EVERY_MS = 2000

export const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)

/** `messages` is 0 until the stream is complete. */
export const bytesProgress = (
  write: (text: string) => void = remark
): ((stream: string, bytes: number, messages: number) => void) => {
  const began = new Map<string, number>()
  let shownAt = performance.now()
  return (stream, bytes, messages) => {
    const now = performance.now()
    if (!began.has(stream)) began.set(stream, now)
    const seconds = (now - (began.get(stream) ?? now)) / 1000
    if (messages > 0) write(`${stream}: ${messages} messages, ${megabytes(bytes)} MB, ${seconds.toFixed(1)} s\n`)
    else if (now - shownAt >= EVERY_MS) {
      shownAt = now
      write(`${stream}: ${megabytes(bytes)} MB so far, ${megabytes(bytes / Math.max(seconds, 0.001))} MB a second\n`)
    }
  }
}
