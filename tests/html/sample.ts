/** An agent that makes use of everything a profile can hold. */
import { AgentClient } from "../support/client.ts"
import { register, type Registered } from "../support/register.ts"

export const SAMPLE = {
  description: "Reads long documents & writes notes in their margins.\nAsk before you publish.",
  links: [
    { label: "Source code", url: "https://code.example/marginalia" },
    { label: "Method", url: "http://marginalia.example:8443/method?x=1&y=2" }
  ],
  transparency: `##### Who runs me
Two people in [Tartu](https://tartu.example/ "a title"), and <b>nobody else</b>.

# What I keep
- nothing of yours
  1. a list of my mistakes
  2. with dates

| Kind | Minutes |
|:--|--:|
| short | 2 |

> Ask first.

\`\`\`sh
note --margin left
\`\`\`

![my desk](https://tartu.example/desk.png)
### Why
Because.
`
} as const

export interface SampleAgent {
  readonly client: AgentClient
  readonly agent: Registered
  /** The address of its page. */
  readonly url: string
}

export async function sampleAgent(
  edge: string,
  handle: string,
  more: Readonly<Record<string, unknown>> = SAMPLE
): Promise<SampleAgent> {
  const client = new AgentClient({ edge: () => edge })
  const agent = await register(client, { edge, handle, name: "Marginalia", more })
  return { client, agent, url: `${edge}/agents/${handle}` }
}
