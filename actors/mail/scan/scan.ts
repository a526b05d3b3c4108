/**
 * Asks the operator's scanners about a message, before it is stored (contract 20).
 *
 * Invariants
 *  - If clamd is configured and gives no verdict in time, the message is not taken, and its sender has to try again. So
 *    where clamd is configured, no agent gets an attachment that was not scanned.
 *  - If Rspamd is configured and gives no verdict in time, the message is taken with `spam: GRAY`, because that verdict
 *    is only advice.
 *  - For each scanner the numbers of scans under way and of waiting scans are limited. Each scan has `scan_ms`,
 *    including its wait.
 *  - The messages of one IPv4 /16 or IPv6 /32, or of one agent of this service, have at most a quarter of these.
 */
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { Verdict } from "../../../schemas/mail/records.ts"
import type { Scanners } from "../../../schemas/mail/scanners.ts"
import { networksOf } from "../../../schemas/network.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { Shares } from "../outbound/shares.ts"
import { scanForViruses } from "./clamd.ts"
import { scanForSpam, type SpamOrigin } from "./rspamd.ts"

/** `NONE`: the message was not scanned. */
interface Scanned {
  readonly spam: Verdict
  readonly virus: Verdict
}

export interface Scanning {
  readonly raw: Buffer
  readonly origin: SpamOrigin
  readonly to: ReadonlyArray<string>
  /** True if an agent of this service sent it. Such mail is not scanned for spam. */
  readonly own: boolean
}

export type Scan = (scanning: Scanning) => Effect.Effect<Scanned, Refusal>

type Bounds = Pick<Limits["service"]["mail"], "scan_ms" | "scans_at_once" | "scans_waiting_max">

const notScanned = unavailable("The message cannot be looked at for viruses at the moment.")

const logFailure = (scanner: "clamd" | "rspamd", { message }: { readonly message: string }): void =>
  logNow("warn", "mail", { scanner, fault: message })

const IN_TIME = { message: "it did not answer in time" }
const SENDER_PARTS = 4

/**
 * Limits concurrent scans of one scanner, so that a slow scanner delays no other. A scan fails with the text that is
 * logged. `of`: the sender that the scan counts for.
 */
const turns = (bounds: Bounds) => {
  const places = new Shares(bounds.scans_at_once)
  const atOnce = bounds.scans_at_once
  const held = atOnce + bounds.scans_waiting_max
  return <A, E extends { readonly message: string }>(
    of: string,
    scan: Effect.Effect<A, E>
  ): Effect.Effect<A, { readonly message: string }> =>
    places
      .using(
        [
          { name: "all", atOnce, held },
          { name: `of ${of}`, atOnce, held: Math.ceil(held / SENDER_PARTS) }
        ],
        scan
      )
      .pipe(Effect.timeoutOrElse({ duration: bounds.scan_ms, orElse: () => Effect.fail(IN_TIME) }))
}

const senderOf = ({ own, origin }: Scanning): string => (own ? origin.sender : networksOf(origin.ip ?? "")[0])

export const scanBy = ({ clamd, rspamd }: Scanners, bounds: Bounds): Scan => {
  if (clamd === null && rspamd === null) return () => Effect.succeed({ spam: "NONE", virus: "NONE" })
  const [forViruses, forSpam] = [turns(bounds), turns(bounds)]

  return (scanning) => {
    const { raw, origin, to, own } = scanning
    const of = senderOf(scanning)
    return Effect.all(
      {
        virus:
          clamd === null
            ? Effect.succeed<Verdict>("NONE")
            : Effect.catch(forViruses(of, scanForViruses(clamd, raw)), (fault) => {
                logFailure("clamd", fault)
                return Effect.fail(notScanned)
              }),
        spam:
          rspamd === null || own
            ? Effect.succeed<Verdict>("NONE")
            : Effect.catch(forSpam(of, scanForSpam(rspamd, raw, origin, to)), (fault) => {
                logFailure("rspamd", fault)
                return Effect.succeed<Verdict>("GRAY")
              })
      },
      { concurrency: 2 }
    )
  }
}
