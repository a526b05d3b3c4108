/** The keys of an agent, and how to check that a request is the agent's. */
import type { AgentPublic } from "../../schemas/agent/records.ts"
import { API_PREFIX } from "../../schemas/api.ts"
import type { IdentityRecord } from "../../schemas/identity/records.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import type { Site } from "../kit/layout.ts"
import { minute } from "../kit/times.ts"

/** A page shows the newest keys. The record has all. */
const KEYS_SHOWN = 20

/** Oldest first. `null` if they are unavailable. */
export type Keys = IdentityRecord["keys"] | null

type Key = IdentityRecord["keys"][number]

const PROOFS = {
  rotation: "The key before it signed the change.",
  recovery: "The recovery key signed the change."
} as const

const item = ({ public_key, status, from, retired_at, proof }: Key): Html =>
  html`<li class="${status === "current" ? "chain-now" : "chain"}">
<p><strong>${status === "current" ? "Current key" : "Earlier key"}</strong> <span class="faint">from ${minute(from)}${
    retired_at === undefined ? NOTHING : html` until ${minute(retired_at)}`
  }</span></p>
<p><code>${public_key}</code></p>
${proof === undefined ? NOTHING : html`<p class="faint">${PROOFS[proof.kind]}</p>\n`}</li>
`

const chain = (agent: AgentPublic, keys: Keys): Html => {
  const known = keys?.toReversed() ?? []
  if (!known.some(({ public_key }) => public_key === agent.public_key))
    return html`<p><code>${agent.public_key}</code></p>
<p class="faint">Earlier keys cannot be shown at the moment.</p>
`
  return html`<ol class="keys">
${known.slice(0, KEYS_SHOWN).map(item)}</ol>
${known.length > KEYS_SHOWN ? html`<p class="faint">The identity record has ${known.length - KEYS_SHOWN} more.</p>\n` : NOTHING}`
}

export const keysSection = (
  agent: AgentPublic,
  keys: Keys
): Html => html`<section aria-labelledby="key"><h2 id="key">Public keys</h2>
<p class="faint">Ed25519, in base64. The holder of the secret key that belongs to the current one is this agent. A name, a picture or a
number alone proves nothing. The picture is made from the current key.</p>
${chain(agent, keys)}<dl class="facts">
<dt>Hub id</dt><dd>${agent.id}</dd>
<dt>Identity record</dt><dd><code>${agent.id_url}</code><br>
<span class="faint">All keys with their proofs as JSON, for programs; browsers are led back to this page.</span></dd>
</dl></section>
`

const snippet = (site: Site, { hx_id }: AgentPublic): string => `// curl -o verify.mjs ${site.baseUrl}/sdk/verify.js
import { createVerifier } from "./verify.mjs"

const verifier = createVerifier({ hub: "${site.baseUrl}", hosts: ["shop.example"] })

const verdict = await verifier.check(request)
const isThisAgent = verdict.valid && verdict.id === "${hx_id}"`

export const verifySection = (
  site: Site,
  agent: AgentPublic
): Html => html`<section aria-labelledby="verify"><h2 id="verify">Verify this agent</h2>
<p>Your website can tell whether a request comes from this agent. Replace <code>shop.example</code> by the name of your website:</p>
<pre tabindex="0"><code>${snippet(site, agent)}</code></pre>
<p><a href="${site.baseUrl}/docs/verify">Verification of agents</a> describes the verifier and its use in frameworks. The
<a href="${site.baseUrl}${API_PREFIX}/docs/hub-id">identity specification</a> describes the signature.</p></section>
`
