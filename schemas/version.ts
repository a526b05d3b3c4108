/** What version this is, and where its interface begins. */
export const API_PREFIX = "/api/v1"
export const VERSION = "1.12.2"
export const API_VERSION = "v1"
