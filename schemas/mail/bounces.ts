/** Which status codes (RFC 3463) say that an address does not exist; only those suppress it (contract 22). */

/** 5.4.4: its domain takes no mail. A full mailbox (5.2.2), policy, or the state of a server say nothing of the address. */
const NO_SUCH_ADDRESS = /^5\.(?:1\.(?:1|2|3|6|10)|4\.4)$/

export const isNoSuchAddress = (status: string): boolean => NO_SUCH_ADDRESS.test(status)
