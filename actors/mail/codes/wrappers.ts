/**
 * Redirecting addresses that count clicks. They do not show their purpose themselves. Nothing is fetched, but if the
 * address contains its target, the target is read.
 */

const LABELS = new Set(
  "click clicks links link email track tracking trk go e em url t r l lnks ablink sendgrid mandrillapp mailtrack mjt clicktrack clk elink news-link redirect ct mailer mail-link".split(
    " "
  )
)
/** These hosts and all their subdomains redirect. An entry with a path also needs that path. */
const HOSTS = [
  "sendgrid.net",
  "list-manage.com",
  "mandrillapp.com",
  "awstrack.me",
  "hubspotlinks.com",
  "hubspotemail.net",
  "rs6.net",
  "sparkpostmail.com",
  "cmail19.com",
  "cmail20.com",
  "createsend1.com",
  "t.co",
  "bit.ly",
  "mailgun.org",
  "mlsend.com",
  "klclick.com",
  "klclick1.com",
  "exct.net",
  "mjt.lu",
  "sendibt3.com",
  "sendibm1.com",
  "customeriomail.com",
  "safelinks.protection.outlook.com",
  "urldefense.com",
  "lnkd.in",
  "google.com/url",
  "constantcontact.com",
  "mailchi.mp",
  "braze.com"
]
const PATHS = [
  "/ls/click",
  "/wf/click",
  "/track/click",
  "/cl0/",
  "/l0/",
  "/f/a/",
  "/c/ej",
  "/e/c/",
  "/click/",
  "/click?",
  "/clk/",
  "/uni/ls/click",
  "/ss/c/",
  "/url?",
  "/redirect?",
  "/tr/cl/"
]
const TARGETS = [
  "url",
  "u",
  "target",
  "redirect",
  "redirect_url",
  "redirecturl",
  "link",
  "dest",
  "destination",
  "q",
  "goto",
  "to",
  "r",
  "l",
  "d"
]
const AWS = /^\/L0\/(https?(?:%3A|:)[^/]{1,2000})/i
/** The target of an address that is wrapped more than twice is not looked for. */
const DEPTH_MAX = 2

const HELPFUL = /unsub|optout|opt-out|preferences|subscribe\/confirm/i

const isWrapper = ({ hostname, pathname, search }: URL): boolean => {
  const place = `${pathname}${search}`.toLowerCase()
  // A list's own page for leaving it shows its purpose.
  if (HELPFUL.test(pathname) && !place.includes("click")) return false
  if (
    HOSTS.some((host) => hostname === host || hostname.endsWith(`.${host}`) || `${hostname}${pathname}`.endsWith(host))
  )
    return true
  const [label = ""] = hostname.split(".")
  const counted = label.startsWith("url") && /^[0-9]+$/.test(label.slice(3))
  return counted || LABELS.has(label) || PATHS.some((path) => place.startsWith(path))
}

const parsed = (text: string): URL | null => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url : null
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

const targetOf = (url: URL): URL | null => {
  const aws = AWS.exec(url.pathname)?.[1]
  if (aws !== undefined) return parsed(decoded(aws))
  for (const name of TARGETS) {
    const target = parsed(url.searchParams.get(name) ?? "")
    if (target !== null) return target
  }
  return null
}

/** The address that shows a link's purpose, or `null` if it cannot be known. */
export const unwrapped = (url: URL): URL | null => {
  let at: URL | null = url
  for (let depth = 0; at !== null && depth <= DEPTH_MAX; depth++) {
    if (!isWrapper(at)) return at
    at = targetOf(at)
  }
  return null
}
