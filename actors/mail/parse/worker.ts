/** The thread that reads messages: one after the other, as it is told. */
import { parentPort, workerData } from "node:worker_threads"
import { type ReadBounds, readMail, unread } from "./read.ts"
import { type Answered, BEGUN, type Told } from "./told.ts"

const bounds: ReadBounds = workerData

parentPort?.on("message", ({ id, raw }: Told) => {
  void readMail(raw, bounds)
    .catch(() => unread(raw, bounds))
    .then((mail) => {
      const answer: Answered = { id, mail }
      parentPort?.postMessage(answer)
    })
})
parentPort?.postMessage(BEGUN)
