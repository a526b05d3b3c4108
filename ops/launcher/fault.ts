/**
 * A failure that the person at the terminal can mend. Its message is one line that says what is wrong and what to do;
 * the launcher prints it without a stack and ends with status 1.
 */
export class LaunchFault extends Error {
  override readonly name = "LaunchFault"

  constructor(message: string) {
    super(message.replace(/\s*\n\s*/g, " ").trim())
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
