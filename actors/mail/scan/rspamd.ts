/**
 * Judges spam with Rspamd: `POST /checkv2` of its normal worker. If its answer is not understood, the scan fails, and
 * scan.ts takes GRAY. The caller bounds the time.
 */
import { request } from "node:http"
import { request as secureRequest } from "node:https"
import { Effect, Result, Schema } from "effect"
import type { Verdict } from "../../../schemas/mail/records.ts"
import type { Origin } from "../inbound/verdicts.ts"

/** The text is this service's own, because Rspamd may quote a message. */
export class RspamdFault extends Error {}

export type SpamOrigin = Partial<Pick<Origin, "ip" | "helo">> & Pick<Origin, "sender">

const ANSWER_MAX_BYTES = 1_048_576
const HEADER_MAX_CHARS = 320

/** Verdicts by action. `greylist` and `soft reject` ask for a second try, which is no verdict. */
const OF_ACTION: Readonly<Record<string, Verdict>> = {
  "no action": "PASS",
  greylist: "GRAY",
  "soft reject": "GRAY",
  "add header": "FAIL",
  "rewrite subject": "FAIL",
  quarantine: "FAIL",
  discard: "FAIL",
  reject: "FAIL"
}

const Answer = Schema.fromJsonString(
  Schema.Struct({ action: Schema.String, is_skipped: Schema.optionalKey(Schema.Boolean) })
)
const decode = Schema.decodeUnknownResult(Answer)

/** `null` if the answer is no verdict. */
const rspamdVerdict = (answer: string): Verdict | null => {
  const decoded = decode(answer)
  if (Result.isFailure(decoded)) return null
  const { action, is_skipped } = decoded.success
  // Rspamd skips obvious spam (GTUBE) too, and gives it an action.
  if (is_skipped === true && action === "no action") return "NONE"
  return Object.hasOwn(OF_ACTION, action) ? (OF_ACTION[action] ?? null) : null
}

/** A stranger chooses these values, so only characters that a header may contain are sent. */
const plain = (text: string): string => text.replaceAll(/[^\x21-\x7e]/g, "").slice(0, HEADER_MAX_CHARS)

const headersOf = ({ ip = "", helo = "", sender }: SpamOrigin, to: ReadonlyArray<string>) =>
  Object.fromEntries(
    Object.entries({ IP: [ip], Helo: [helo], From: [sender], Rcpt: to })
      .map(([name, values]) => [name, values.map(plain).filter((value) => value !== "")] as const)
      .filter(([, values]) => values.length > 0)
  )

export const scanForSpam = (
  url: string,
  raw: Buffer,
  origin: SpamOrigin,
  to: ReadonlyArray<string>
): Effect.Effect<Verdict, RspamdFault> =>
  Effect.callback<Verdict, RspamdFault>((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    const fail = (words: string): void => {
      asked.destroy()
      resume(Effect.fail(new RspamdFault(words)))
    }
    const broken = (): void => fail("it cannot be reached, or broke off")
    const asked = (url.startsWith("https:") ? secureRequest : request)(`${url}/checkv2`, {
      method: "POST",
      agent: false,
      headers: { ...headersOf(origin, to), "Content-Length": raw.length }
    })
    asked.on("error", broken)
    asked.on("response", (response) => {
      response.on("error", broken)
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > ANSWER_MAX_BYTES) fail("its answer is too long")
      })
      response.on("end", () => {
        const verdict = response.statusCode === 200 ? rspamdVerdict(Buffer.concat(chunks).toString("utf8")) : null
        if (verdict === null) fail("its answer is not clear")
        else resume(Effect.succeed(verdict))
      })
    })
    asked.end(raw)
    return Effect.sync(() => asked.destroy())
  })
