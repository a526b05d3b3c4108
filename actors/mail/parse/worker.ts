/** The thread that reads messages: one after the other, as it is told. */
import { parentPort, workerData } from "node:worker_threads"
import type { ParsedMail } from "./parsed.ts"
import { type ReadBounds, readMail, unread } from "./read.ts"

export interface Told {
  readonly id: number
  readonly raw: Uint8Array
}

export interface Answered {
  readonly id: number
  readonly mail: ParsedMail
}

const bounds: ReadBounds = workerData

parentPort?.on("message", ({ id, raw }: Told) => {
  void readMail(raw, bounds)
    .catch(() => unread(raw, bounds))
    .then((mail) => {
      const answer: Answered = { id, mail }
      parentPort?.postMessage(answer)
    })
})
