/**
 * A failure with a message of one line for the person at the terminal. The launcher prints it without a stack and ends
 * with status 1.
 */
export class LaunchFault extends Error {
  override readonly name = "LaunchFault"

  constructor(message: string) {
    super(
      message
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(" ")
    )
  }
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** The code that Node's system errors carry, such as EACCES. */
export function codeOf(cause: unknown): string | undefined {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined
  return typeof cause.code === "string" ? cause.code : undefined
}

/** Describes a fault of the caller or of the machine in one line. Only an unexpected error is shown with its stack. */
function describeFailure(cause: unknown): string {
  if (cause instanceof LaunchFault) return cause.message
  if (codeOf(cause) !== undefined) return messageOf(cause)
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

export function endWith(cause: unknown): never {
  process.stderr.write(`hub: ${describeFailure(cause)}\n`)
  process.exit(1)
}
