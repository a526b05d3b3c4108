/** The media type of key directories for HTTP message signatures. */
export const KEY_DIRECTORY_TYPE = "application/http-message-signatures-directory+json"

/** Agent numbers of one block of the directory: what is fetched, kept and changed together. */
export const DIRECTORY_BLOCK_SIZE = 1000
