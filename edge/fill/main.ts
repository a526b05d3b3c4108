/**
 * The fill service (spec 4.12; contract 17): a separate program beside an agent's browser. It types secrets of the
 * agent's vault into the open page.
 *
 * Core dumps: Node can neither set a limit nor call prctl. The npm script starts this program under `ulimit -c 0`. If
 * it is started without the script, the same limit must be set. Node cannot keep its memory out of swap either, so the
 * machine must encrypt swap or have none.
 */
import { harmless } from "../../schemas/printed.ts"
import { withoutTokens } from "../../schemas/secret/without-tokens.ts"
import { hubAt } from "./hub.ts"
import { loadKey } from "./key.ts"
import { readOptions, USAGE } from "./options.ts"
import { Refused, StartFault } from "./refusal.ts"
import { endpointsOf } from "./endpoints.ts"
import { serve } from "./server.ts"

/** The longest wait for a fill under way when the program ends. */
const END_WITHIN_MS = 8_000

const run = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === null) {
    process.stdout.write(USAGE)
    return
  }
  const { token, hub: origin, cdp, port, users } = options
  const ended = Promise.withResolvers<void>()
  const hub = hubAt(origin, token, ended.resolve)
  const key = await loadKey(hub)
  process.once("exit", key.wipe)
  const server = await serve({ port, users }, endpointsOf({ hub, key, cdp }))
  const end = (status: number): void => {
    setTimeout(() => process.exit(status), END_WITHIN_MS).unref()
    void server.stop().then(() => process.exit(status))
  }
  process.once("SIGTERM", () => end(0))
  process.once("SIGINT", () => end(0))
  void ended.promise.then(() => {
    process.stderr.write("hub fill: the token has ended, or the vault is revoked\n")
    end(1)
  })
  process.stdout.write(`ready ${server.url}\n`)
}

const reasonOf = (error: unknown): string => {
  if (error instanceof StartFault) return error.message
  if (error instanceof Refused) return `the hub refuses: ${error.code}: ${error.message}`.replaceAll(/\s+/g, " ")
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return "--port: it is taken"
  return error instanceof Error ? error.message : "it failed"
}

run().catch((error: unknown) => {
  // The reason may contain text from a hostile hub, or a token that was given in place of a file name.
  process.stderr.write(harmless(`hub fill: ${withoutTokens(reasonOf(error))}\n`))
  process.exit(1)
})
