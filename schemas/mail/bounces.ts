/**
 * Status codes (RFC 3463) which mean that an address does not exist. A bounce with one of these codes suppresses the
 * address (contract 22).
 */

/**
 * 5.4.4 means that the domain accepts no mail. A full mailbox (5.2.2), policy, or the state of a server do not concern
 * the address.
 */
const NO_SUCH_ADDRESS = /^5\.(?:1\.(?:1|2|3|6|10)|4\.4)$/

export const isNoSuchAddress = (status: string): boolean => NO_SUCH_ADDRESS.test(status)
