/** Finds passwords in addresses of any scheme: `postgres://user:password@host/…`. */

const USER_MAX = 128
const PASSWORD_MIN = 4
const PASSWORD_MAX = 256
const HOST_MAX = 256

/** Characters that end the authority of an address, and that it cannot contain. */
const ENDS = new Set(" \t\r\n\0/?#<>\"'`\\|{}[]()")
const COLON = ":"
const AT = "@"

/** Words of placeholders, without digits and marks: `your_password1`. */
const WORDS: ReadonlyArray<string> = [
  "my your the old new some super strong example test guest foo bar baz",
  "user name admin root db mysql postgres hunter redacted hidden changeme change",
  "password passwd pass pwd pw secret token api key xoauthbasic"
].flatMap((line) => line.split(" "))
const NO_LETTERS = /[^a-z]/g
/** Matches a variable, or characters that stand in place of a password. */
const HOLE = /^[$%*:]|^x+$|\*\*\*|\.\.\.|…/i

/** Hosts that cannot be reached from elsewhere, and those reserved for examples (RFC 2606, RFC 6761). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|test|invalid|example|example\.(?:com|org|net|edu))$/i
const LOOPBACK = /^(?:127\.|0\.0\.0\.0$)/

const isNamed = (password: string): boolean => {
  let rest = password.toLowerCase().replaceAll(NO_LETTERS, "")
  if (rest === "") return false
  for (let word = wordOf(rest); word !== undefined; word = wordOf(rest)) rest = rest.slice(word.length)
  return rest === ""
}

const wordOf = (text: string): string | undefined => WORDS.find((word) => text.startsWith(word))

const isPublicHost = (host: string): boolean => host.includes(".") && !PRIVATE_NAME.test(host) && !LOOPBACK.test(host)

/** The end of the run from `from` on that contains none of `ENDS` and not `stop`; -1 if it is longer than `most`. */
const endOf = (text: string, from: number, most: number, stop: string): number => {
  const last = Math.min(text.length, from + most)
  let at = from
  while (at < last && text.charAt(at) !== stop && !ENDS.has(text.charAt(at))) at++
  return at < text.length && at === last ? -1 : at
}

/** `at` is the position of a colon. */
export const isPasswordAt = (text: string, at: number): boolean => {
  if (!text.startsWith("://", at)) return false
  const user = at + 3
  const userEnd = endOf(text, user, USER_MAX, COLON)
  if (userEnd === -1 || text.charAt(userEnd) !== COLON) return false
  const passwordEnd = endOf(text, userEnd + 1, PASSWORD_MAX, AT)
  if (passwordEnd === -1 || text.charAt(passwordEnd) !== AT) return false
  const password = text.slice(userEnd + 1, passwordEnd)
  if (password.length < PASSWORD_MIN || isNamed(password) || HOLE.test(password)) return false
  const hostEnd = endOf(text, passwordEnd + 1, HOST_MAX, COLON)
  return hostEnd !== -1 && isPublicHost(text.slice(passwordEnd + 1, hostEnd).split(",", 1)[0] ?? "")
}
