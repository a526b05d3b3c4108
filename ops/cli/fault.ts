/** Something the operator can mend: shown as one line, exit status 1. */
export class Fault extends Error {
  /** Of the service's refusal, where it is one. */
  readonly code: string | null

  constructor(message: string, code: string | null = null) {
    super(message)
    this.code = code
  }
}
