/**
 * `npm run bench`: measures the cost of the service and of baselines in the same run on the same machine.
 *
 * In the tables, CPU time is that of the processes that serve (edges, actors, NATS, Postgres), in units of one Ed25519
 * verification as measured in this run. Machines differ and are noisy; ratios depend on them less. Options select
 * cases.
 */
import { helpOf, type Program, readCommandLine } from "../../schemas/runtime/command-line.ts"
import { exitWith } from "../launcher/exit.ts"
import { LaunchFault } from "../launcher/fault.ts"
import { activationCase } from "./activation.ts"
import { atCase } from "./at.ts"
import { archiveCase } from "./archive.ts"
import { backupCase } from "./backup.ts"
import { commitPath } from "./commits.ts"
import { consoleCase } from "./console.ts"
import { readCases } from "./content/reads.ts"
import { searchCases } from "./content/search.ts"
import { writeCases } from "./content/writes.ts"
import { directoryCases } from "./directory.ts"
import { fillCase } from "./fill.ts"
import { httpCases, type Row } from "./http.ts"
import { mailCases } from "./mail.ts"
import { memoryCases } from "./memory.ts"
import { questionCases } from "./questions.ts"
import { rebuildCase } from "./rebuild.ts"
import { runtimeCase } from "./runtime.ts"
import { stallCases } from "./stalls.ts"
import { takeoverCase } from "./takeover.ts"
import { traceCosts } from "./traces.ts"
import { vaultCases } from "./vault.ts"
import { verificationCost } from "./verification.ts"
import { verifierCases } from "./verify.ts"
import { waitCases } from "./waits.ts"
import { webhookCases } from "./webhooks.ts"

const CASES =
  "http|activation|archive|at|backup|commits|console|fill|mail|reads|memory|directory|questions|rebuild|runtime|search|stalls|takeover|traces|vault|verify|waits|webhooks|writes"

const BENCH: Program<{ readonly usage: ReadonlyArray<string> }> = {
  name: "npm run bench --",
  commands: [
    {
      usage: [
        `[--only ${CASES}] [--case <part of a title>]`,
        " [--edges <n>] [--actors <n>] [--seconds <n>] [--rounds <n>] [--kills <n>] [--megabytes <n>]"
      ]
    }
  ],
  refuse: (reason, lines) => new LaunchFault(`${reason}; it is: ${lines.join(" ")}`)
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const read = readCommandLine(BENCH, process.argv.slice(2))
if (read.is !== "command") {
  say(helpOf(BENCH, BENCH.commands))
  process.exit(0)
}
const values = {
  case: "",
  edges: "2",
  actors: "1",
  seconds: "4",
  rounds: "3",
  kills: "50",
  megabytes: "1000",
  ...(read.args.values as { readonly only?: string })
}

const table = (title: string, rows: ReadonlyArray<Row>): void => {
  say(`\n${title}`)
  say("  subject     requests/s    p50 ms    p99 ms   CPU/request in verifications; of the quietest round; by process")
  for (const row of rows) {
    const parts = Object.entries(row.parts).map(([kind, part]) => `${kind} ${part.toFixed(2)}`)
    say(
      `  ${row.name.padEnd(10)} ${row.requestsPerSecond.toFixed(0).padStart(11)} ${row.p50Ms.toFixed(2).padStart(9)} ` +
        `${row.p99Ms.toFixed(2).padStart(9)}   ${row.verifications.toFixed(2)}  ${row.quietest.toFixed(2)}  ` +
        `(${parts.join(", ")})`
    )
  }
}

const wants = (name: string): boolean => values.only === undefined || values.only === name

const verificationUs = await verificationCost()
say(`one Ed25519 verification: ${verificationUs.toFixed(1)} us of CPU, with every core verifying`)
const options = {
  edges: Number(values.edges),
  actors: Number(values.actors),
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  verificationUs,
  filter: values.case
}
if (wants("http")) await httpCases(options, table)
if (wants("reads")) await readCases(options, table)
if (wants("writes")) await writeCases(options, table)
if (wants("activation")) await activationCase(Number(values.megabytes), say)
if (wants("archive")) await archiveCase(Number(values.megabytes), say)
if (wants("at")) await atCase(say)
if (wants("backup")) await backupCase(say)
if (wants("commits")) await commitPath(say)
if (wants("console")) await consoleCase(say)
if (wants("directory")) await directoryCases(say)
if (wants("fill")) await fillCase(say)
if (wants("mail")) await mailCases(say, values.case)
if (wants("memory")) await memoryCases(say)
if (wants("questions")) questionCases(say)
if (wants("rebuild")) await rebuildCase(say)
if (wants("runtime")) await runtimeCase(say)
if (wants("search")) await searchCases(options, say)
if (wants("stalls")) await stallCases(say)
if (wants("takeover")) await takeoverCase(Number(values.kills), say)
if (wants("traces")) traceCosts(say)
if (wants("vault")) await vaultCases(options, table, say)
if (wants("verify")) await verifierCases(say)
if (wants("waits")) await waitCases(options, say)
if (wants("webhooks")) await webhookCases(say, values.case)
await exitWith(0)
