/** The media type of key directories for HTTP message signatures. */
export const KEY_DIRECTORY_TYPE = "application/http-message-signatures-directory+json"

/**
 * An ETag of the directory, with or without `W/` and quotation marks. The first group of the pattern is the version.
 */
export const DIRECTORY_TAG = /^(?:W\/)?"?([0-9a-z]{1,10})-[0-9a-z]{1,8}"?$/u

/** Agent numbers of one block of the directory. A block is fetched, cached and changed as a whole. */
export const DIRECTORY_BLOCK_SIZE = 1000
/**
 * The most changed entries in one answer, and in all answers to a reader that is behind. If there are more, it reads
 * the whole directory.
 */
export const DIRECTORY_CHANGES_PAGE = 1000
export const DIRECTORY_CHANGES_MAX = 10_000
