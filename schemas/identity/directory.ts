/** The media type of key directories for HTTP message signatures. */
export const KEY_DIRECTORY_TYPE = "application/http-message-signatures-directory+json"

/** An ETag of the directory, with what stands around it in a header or without; its first group is the version. */
export const DIRECTORY_TAG = /^(?:W\/)?"?([0-9a-z]{1,10})-[0-9a-z]{1,8}"?$/u

/** Agent numbers of one block of the directory: what is fetched, kept and changed together. */
export const DIRECTORY_BLOCK_SIZE = 1000
/** Changed entries of one answer; and of all answers to whoever is so far behind, who else reads the whole. */
export const DIRECTORY_CHANGES_PAGE = 1000
export const DIRECTORY_CHANGES_MAX = 10_000
