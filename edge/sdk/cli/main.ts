#!/usr/bin/env node
/**
 * hub-agent: an agent's account from a shell. Results go to standard output, everything else to standard error; the
 * exit status is 0, 1 for what was refused or failed, 2 for a command line that is wrong.
 */
import { harmless } from "../../../schemas/printed.ts"
import type { Surroundings } from "./command.ts"
import { runCommandLine } from "./run.ts"

const surroundings: Surroundings = {
  env: process.env,
  // npm runs scripts in the project's folder and says where it was called from.
  cwd: process.env["npm_lifecycle_event"] === "agent" ? (process.env["INIT_CWD"] ?? process.cwd()) : process.cwd(),
  stdin: process.stdin,
  write: (text) => process.stdout.write(text),
  warn: (line) => process.stderr.write(`${harmless(line)}\n`),
  fail: (line) => process.stderr.write(`${line}\n`)
}

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write("", () => resolve()))

// A reader that closes early, such as head, is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))
const status = await runCommandLine(process.argv.slice(2), surroundings)
await Promise.all([flushed(process.stdout), flushed(process.stderr)])
// Standard input may still be open although nothing reads it.
process.exit(status)
