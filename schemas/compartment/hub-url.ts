/** The address of the service for programs in compartments (contract 18). */

/** The name by which compartments reach the host machine. Their gateway forwards one port. */
export const INSIDE_HOST = "hub.internal"

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** The port at which the service answers on this machine; `null` if `baseUrl` does not name this machine. */
export const loopbackPort = (baseUrl: string): number | null => {
  const { hostname, port, protocol } = new URL(baseUrl)
  if (!LOOPBACK.test(hostname)) return null
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
}

export const hubUrlInside = (baseUrl: string): string => {
  const port = loopbackPort(baseUrl)
  return port === null ? baseUrl : `http://${INSIDE_HOST}:${port}`
}
