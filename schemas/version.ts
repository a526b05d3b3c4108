/** The version of the service, and the prefix of its interface. */
export const API_PREFIX = "/api/v1"
export const VERSION = "1.12.2"
export const API_VERSION = "v1"
