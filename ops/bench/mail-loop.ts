/**
 * Baseline for mail: `smtp-server`, `mailauth` and `postal-mime` in one process. It verifies and parses each message
 * before it answers, but stores nothing and notifies nobody.
 */
import { Resolver } from "node:dns/promises"
import { authenticate } from "mailauth"
import PostalMime from "postal-mime"
import { SMTPServer } from "smtp-server"

const resolver = new Resolver()
resolver.setServers([process.env["BENCH_DNS"] ?? ""])
const lookup = async (name: string, type: string) =>
  (await resolver.resolve(name, type)) as Array<string> | Array<Array<string>>

const server = new SMTPServer({
  disabledCommands: ["AUTH", "STARTTLS"],
  authOptional: true,
  disableReverseLookup: true,
  onData: (stream, { remoteAddress: ip, hostNameAppearsAs, envelope }, done) => {
    const chunks: Array<Buffer> = []
    stream.on("data", (chunk: Buffer) => chunks.push(chunk))
    stream.once("end", () => {
      const raw = Buffer.concat(chunks)
      const sender = envelope.mailFrom === false ? "" : envelope.mailFrom.address
      const judged = authenticate(raw, {
        ip,
        helo: hostNameAppearsAs || "",
        sender,
        mta: "bench.example",
        resolver: lookup,
        disableBimi: true
      })
      Promise.all([PostalMime.parse(raw), judged]).then(
        ([{ subject }, { dmarc }]) => done(subject === undefined || dmarc === false ? new Error("not read") : null),
        (error: unknown) => done(error instanceof Error ? error : new Error("not read"))
      )
    })
  }
})
server.listen(Number(process.env["BENCH_PORT"]), "127.0.0.1", () => process.send?.({ ready: true }))
process.on("SIGTERM", () => process.exit(0))
