/** The settings of Amazon SES (contract 16). */

export interface SesSettings {
  readonly region: string
  /** ARNs of the topics whose notifications are trusted. */
  readonly topics: ReadonlyArray<string>
  /** Hosts from which certificates are fetched and where subscriptions are confirmed, with a port if it is not 443. */
  readonly certHosts: ReadonlyArray<string>
  /** The configuration set that each message is sent with. */
  readonly configurationSet: string | null
}

interface SesInput {
  readonly region: string | null
  readonly topics: ReadonlyArray<string>
  readonly certHosts: ReadonlyArray<string>
  readonly configurationSet: string | null
}

type SesReading =
  | { readonly ok: true; readonly settings: SesSettings }
  | { readonly ok: false; readonly problem: string }

const TOPICS_MAX = 16
const HOSTS_MAX = 8
const REGION = /^[a-z]{2,4}(?:-[a-z]{2,10}){1,3}-\d{1,2}$/
const TOPIC = /^arn:aws[a-z-]{0,10}:sns:[a-z0-9-]{5,32}:\d{12}:[\w-]{1,256}(?:\.fifo)?$/
const CONFIGURATION_SET = /^[\w-]{1,64}$/
/** The hosts of Amazon SNS. Its regions in China have another domain. */
const OWN_HOST = /^sns\.[a-z]{2,4}(?:-[a-z]{2,10}){1,3}-\d{1,2}\.amazonaws\.com(?:\.cn)?$/
const ANY_HOST = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?$/

/** True for a host of Amazon SNS. Other hosts may be configured only in development. */
export const isProviderHost = (host: string): boolean => OWN_HOST.test(host)

const ownHost = (region: string): string => `sns.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`

export const readSesSettings = (
  { region, topics, certHosts, configurationSet }: SesInput,
  { mode, isUsed }: { readonly mode: "development" | "production"; readonly isUsed: boolean }
): SesReading => {
  // AWS_REGION is a setting of the SDK. Its form matters only if SES is used.
  if (isUsed && (region === null || !REGION.test(region)))
    return problem("AWS_REGION must be the provider's region, such as eu-central-1, where HUB_MAIL_PROVIDER is ses")
  if ((isUsed && topics.length === 0) || topics.length > TOPICS_MAX || !topics.every((one) => TOPIC.test(one)))
    return problem(
      `HUB_SES_TOPICS must be 1 to ${TOPICS_MAX} topics such as arn:aws:sns:eu-central-1:123456789012:mail, with commas between`
    )
  if (
    certHosts.length > HOSTS_MAX ||
    !certHosts.every((one) => (mode === "development" ? ANY_HOST : OWN_HOST).test(one))
  )
    return problem(
      `HUB_SES_CERT_HOSTS must be at most ${HOSTS_MAX} hosts such as ${ownHost(region ?? "eu-central-1")}, with commas between; others than the provider's are for development only`
    )
  if (configurationSet !== null && !CONFIGURATION_SET.test(configurationSet))
    return problem("HUB_SES_CONFIGURATION_SET must be a name of 1 to 64 letters, digits, dashes or underscores")
  return {
    ok: true,
    settings: {
      region: region ?? "",
      topics,
      certHosts: certHosts.length === 0 ? [ownHost(region ?? "")] : certHosts,
      configurationSet
    }
  }
}

const problem = (text: string): SesReading => ({ ok: false, problem: text })
