/** An error for a mistake in the website's own code. It is thrown and never becomes a verdict. */

export const misuse = (what: string): TypeError => new TypeError(`hub verifier: ${what}`)
