import { handle, template } from "./template.ts"

export const sponsorshipEnded = template({
  values: { agent: handle },
  draft: ({ agent }, service) => ({
    subject: `Your sponsorship of ${agent} has ended`,
    paragraphs: [`Your sponsorship of the agent ${agent} at ${service} has ended.`, "There is nothing to do."],
    why: `You get this letter because you were a sponsor of ${agent} at ${service}.`
  })
})
