/**
 * The unit of the benchmark: microseconds of CPU time of one Ed25519 verification with node:crypto.
 *
 * It is measured with every core busy verifying, because the cases run like that. If two cores share one physical core,
 * the same work takes more CPU time as soon as both are in use. A unit that is measured on an idle machine would make
 * every figure look too large.
 */
import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto"
import { availableParallelism } from "node:os"
import { isMainThread, parentPort, Worker } from "node:worker_threads"

const WARM_UP = 3000
const COUNT = 15_000

const measure = (): number => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  const key = createPublicKey(publicKey.export({ format: "pem", type: "spki" }))
  const text = randomBytes(160)
  const signature = sign(null, text, privateKey)
  const round = (count: number): number => {
    const before = threadUs()
    for (let index = 0; index < count; index++) verify(null, text, key, signature)
    return (threadUs() - before) / count
  }
  round(WARM_UP)
  return round(COUNT)
}

const threadUs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

export const verificationCost = async (): Promise<number> => {
  const costs = await Promise.all(
    Array.from(
      { length: availableParallelism() },
      () =>
        new Promise<number>((resolve, reject) => {
          const worker = new Worker(new URL(import.meta.url))
          worker.once("message", resolve)
          worker.once("error", reject)
        })
    )
  )
  return costs.reduce((sum, cost) => sum + cost, 0) / costs.length
}

if (!isMainThread) parentPort?.postMessage(measure())
