/** The address of the service for programs in compartments (contract 18). */

/** Known inside of compartments alone: their gateway passes one port on. */
export const INSIDE_HOST = "hub.internal"

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** `null`: the service has a public address. Otherwise the port at which it answers on this machine. */
export const loopbackPort = (baseUrl: string): number | null => {
  const { hostname, port, protocol } = new URL(baseUrl)
  if (!LOOPBACK.test(hostname)) return null
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
}

export const hubUrlInside = (baseUrl: string): string => {
  const port = loopbackPort(baseUrl)
  return port === null ? baseUrl : `http://${INSIDE_HOST}:${port}`
}
