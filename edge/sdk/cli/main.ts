#!/usr/bin/env node
/**
 * hub-agent: an agent's account from a shell. Results are printed on standard output, everything else on standard
 * error. The exit status is 0 for success, 1 for a refusal or failure, and 2 for a wrong command line.
 */
import { harmless } from "../../../schemas/printed.ts"
import type { Surroundings } from "./command.ts"
import { runCommandLine } from "./run.ts"

const surroundings: Surroundings = {
  env: process.env,
  // npm runs scripts in the project's folder, and INIT_CWD names the folder from which npm was called.
  cwd: process.env["npm_lifecycle_event"] === "agent" ? (process.env["INIT_CWD"] ?? process.cwd()) : process.cwd(),
  stdin: process.stdin,
  write: (text) => process.stdout.write(text),
  warn: (line) => process.stderr.write(`${harmless(line)}\n`),
  fail: (line) => process.stderr.write(`${line}\n`)
}

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write("", () => resolve()))

// A reader that closes the output early, such as head, is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))
const status = await runCommandLine(process.argv.slice(2), surroundings)
await Promise.all([flushed(process.stdout), flushed(process.stderr)])
// The process must be ended explicitly, because standard input may still be open.
process.exit(status)
