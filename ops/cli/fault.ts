/** Something the operator can mend: shown as one line, exit status 1. */
export class Fault extends Error {
  /** The code of the service's refusal, if it is one. */
  readonly code: string | null

  constructor(message: string, code: string | null = null) {
    super(message)
    this.code = code
  }
}
