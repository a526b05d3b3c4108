/** Something the operator can mend: shown as one line, exit status 1. */
export class Fault extends Error {}
