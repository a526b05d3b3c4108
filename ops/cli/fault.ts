/** An error with a message for the operator. A command prints the message without a stack, and its exit status is 1. */
export class Fault extends Error {
  /** The code, if the service refused the command. */
  readonly code: string | null

  constructor(message: string, code: string | null = null) {
    super(message)
    this.code = code
  }
}
