/** The thread that parses and judges messages. It asks the main thread for answers of DNS. */
import { parentPort, workerData } from "node:worker_threads"
import type { Lookup } from "../dns.ts"
import { UNJUDGED } from "../inbound/verdicts.ts"
import type { ParsedMail } from "./parsed.ts"
import { readMail, unread } from "./read.ts"
import type { Answer, Result, Start, FromThread, ToThread, Work } from "./protocol.ts"

const { bounds, mta }: Start = workerData
// A thread that judges nothing does not load the judge.
const judging = mta === null ? null : await import("../inbound/judge.ts")

type Records = Awaited<ReturnType<Lookup>>

interface PendingParse {
  readonly resolve: (records: Records) => void
  readonly reject: (error: Error) => void
}

const open = new Set<number>()
const settling = new Set<number>()
const asked = new Map<number, PendingParse>()
let questions = 0

const post = (told: FromThread, moved: ReadonlyArray<ArrayBuffer> = []): void =>
  parentPort?.postMessage(told, [...moved])

const cpu = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Reports that a job waits for DNS, after the job has used the answers that it got. */
const settle = (id: number): void => {
  if (settling.has(id)) return
  settling.add(id)
  setImmediate(() => {
    settling.delete(id)
    if (open.has(id)) post({ type: "waits", id, cpu: cpu() })
  })
}

const lookupOf =
  (id: number): Lookup =>
  (name, record) =>
    new Promise((resolve, reject) => {
      const question = ++questions
      asked.set(question, { resolve, reject })
      post({ type: "asks", id, question, name, record })
      settle(id)
    })

const onAnswer = ({ question, said }: Answer): void => {
  const one = asked.get(question)
  asked.delete(question)
  if ("records" in said) one?.resolve(said.records)
  else one?.reject(Object.assign(new Error(`DNS said ${said.code}`), { code: said.code }))
}

const done = async (id: number, work: Work): Promise<Result> => {
  if (work.type === "parse") return readMail(work.raw, bounds).catch(() => unread(work.raw, bounds))
  return judging === null || mta === null ? UNJUDGED : judging.judge(work.raw, work.origin, lookupOf(id), mta)
}

/** Buffers that contain a single attachment are moved without a copy. */
const movedOf = ({ attachments }: ParsedMail): ReadonlyArray<ArrayBuffer> =>
  attachments.flatMap(({ bytes: { buffer, byteLength } }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
  )

parentPort?.on("message", (told: ToThread) => {
  const { id } = told
  if (told.type === "answers") {
    for (const answer of told.answers) onAnswer(answer)
    return settle(id)
  }
  open.add(id)
  void done(id, told.work).then((result) => {
    open.delete(id)
    post({ type: "done", id, result, cpu: cpu() }, "parsed" in result ? movedOf(result) : [])
  })
})
post({ type: "begun", cpu: cpu() })
