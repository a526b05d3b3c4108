/** An edge under the provider `ses`, the provider at the wire, and what is told in its name. */
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { Provider, type Served, type Told } from "../support/provider.ts"
import { type Answered, openWorld, type World } from "./edge.ts"

export const ENTRY = "/api/v1/email/inbound/ses"
const TRUSTED = getCACertificates("default")
/** The provider has more time than any machine takes. */
const PATIENT = { "service.mail.certificate_fetch_ms": 60_000 }

export const bySes = (provider: Provider, limits: Readonly<Record<string, number>> = PATIENT): Promise<World> =>
  openWorld({ env: { ...provider.env, HUB_MAIL_DOMAIN: "mail.hub.example" }, limits })

const outcomeOf = ({ status, json }: Answered): string => (json.ok ? String(status) : `${status} ${json.error.code}`)

export class Entry {
  readonly provider: Provider
  readonly world: World
  private names = 0

  private constructor(provider: Provider, world: World) {
    this.provider = provider
    this.world = world
  }

  static async open(): Promise<Entry> {
    const provider = await Provider.open()
    Entry.trust(provider)
    return new Entry(provider, await bySes(provider))
  }

  /** Whether whoever vouches for the provider's host is believed by this process. */
  static trust(provider: Provider | null): void {
    setDefaultCACertificates([...TRUSTED, ...(provider === null ? [] : [provider.authority.cert])])
  }

  async stop(): Promise<void> {
    Entry.trust(null)
    await this.world.stop()
    await this.provider.stop()
  }

  /** As if nothing had come yet. */
  forget(): void {
    this.world.node.forget()
    this.world.node.on("mail_notice.take", () => ({ data: { taken: true } }))
    this.provider.fetched.length = 0
  }

  post(body: string | Told): Promise<Answered> {
    return this.world.edge.call(ENTRY, {
      method: "POST",
      headers: { "content-type": "text/plain; charset=UTF-8" },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
  }

  async outcome(body: string | Told): Promise<string> {
    return outcomeOf(await this.post(body))
  }

  takes() {
    return this.world.node.asked("mail_notice.take")
  }

  /** A certificate that nobody has fetched yet, at an address of its own. */
  certificate(served: Served): string {
    const name = `new${this.names++}`
    this.provider.files.set(`/SimpleNotificationService-${name}.pem`, served)
    return this.provider.certUrl(name)
  }
}
