import { handle, path, template } from "./template.ts"

/** The letter leaves out the new owner's name, because it is a stranger's text. The page shows it. */
export const ownerConfirmed = template({
  values: { agent: handle, path },
  holds: ({ later_owner_seconds }) => later_owner_seconds,
  draft: ({ agent, path: to }, service) => ({
    subject: `Your agent ${agent} has another owner`,
    paragraphs: [
      `Another person was confirmed as an owner of your agent ${agent} at ${service}.`,
      "If nobody objects in time, this person may allow fills of secrets that the agent holds already. See who it is, and object if you do not trust them."
    ],
    link: { label: "See who it is, or object", path: to },
    why: `You get this letter because you were an owner of ${agent} at ${service} when that happened.`
  })
})
