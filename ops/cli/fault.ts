/** An error that the operator can correct. It is shown as one line, and the exit status is 1. */
export class Fault extends Error {
  /** The code, if the service refused the command. */
  readonly code: string | null

  constructor(message: string, code: string | null = null) {
    super(message)
    this.code = code
  }
}
