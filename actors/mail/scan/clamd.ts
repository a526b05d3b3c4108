/**
 * Scans for viruses with clamd: one connection for each message, by the command INSTREAM (clamd(8)).
 *
 * Invariants
 *  - Any other answer than a verdict is a fault, because clamd did not say that the message is clean.
 *  - An answer has at most `ANSWER_MAX_BYTES`. The caller bounds the time.
 */
import { connect } from "node:net"
import { Effect } from "effect"
import type { Verdict } from "../../../schemas/mail/records.ts"
import type { ClamdAddress } from "../../../schemas/mail/scanners.ts"

/** The text is this service's own, because clamd may repeat names of a stranger's files. */
export class ClamdFault extends Error {}

const ANSWER_MAX_BYTES = 4096
const CHUNK_BYTES = 1_048_576
const LENGTH_BYTES = 4

const lengthOf = (bytes: number): Buffer => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(bytes)
  return length
}

function* framesOf(raw: Buffer): Generator<Buffer> {
  yield Buffer.from("zINSTREAM\0")
  for (let from = 0; from < raw.length; from += CHUNK_BYTES) {
    const chunk = raw.subarray(from, from + CHUNK_BYTES)
    yield lengthOf(chunk.length)
    yield chunk
  }
  yield lengthOf(0)
}

/** Throws if the answer is no verdict. */
const clamdVerdict = (answer: string): Verdict => {
  const [line = ""] = answer.split("\0", 1)
  if (line === "stream: OK") return "PASS"
  if (line.startsWith("stream: ") && line.endsWith(" FOUND") && !line.includes("\n")) return "FAIL"
  throw new ClamdFault(line.endsWith("ERROR") ? "it could not look at the message" : "its answer is not clear")
}

const pathOrPort = (address: ClamdAddress) => ("path" in address ? { path: address.path } : address)

export const scanForViruses = (address: ClamdAddress, raw: Buffer): Effect.Effect<Verdict, ClamdFault> =>
  Effect.callback<Verdict, ClamdFault>((resume) => {
    const socket = connect(pathOrPort(address))
    const answer: Array<Buffer> = []
    let bytes = 0
    const end = (made: Effect.Effect<Verdict, ClamdFault>): void => {
      socket.destroy()
      resume(made)
    }
    const ended = (): void =>
      end(
        Effect.try({
          try: () => clamdVerdict(Buffer.concat(answer).toString("latin1")),
          catch: (error) => (error instanceof ClamdFault ? error : new ClamdFault("its answer is not clear"))
        })
      )
    socket.on("connect", () => {
      for (const frame of framesOf(raw)) socket.write(frame)
    })
    socket.on("data", (chunk: Buffer) => {
      answer.push(chunk)
      bytes += chunk.length
      if (bytes > ANSWER_MAX_BYTES) return end(Effect.fail(new ClamdFault("its answer is too long")))
      if (chunk.includes(0)) ended()
    })
    socket.on("end", ended)
    socket.on("error", () =>
      // clamd may refuse the rest of a message after it has sent the reason.
      bytes > 0 ? ended() : end(Effect.fail(new ClamdFault("it cannot be reached, or broke off")))
    )
    return Effect.sync(() => socket.destroy())
  })
