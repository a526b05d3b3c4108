import { template } from "./template.ts"

export const chatLinked = template({
  values: {},
  draft: (_values, service) => ({
    subject: "A chat was linked to your account",
    paragraphs: [
      `A chat was linked to your account at ${service}: your agents reach you there, and what is written there answers them.`,
      "If that was not you, unlink it in your settings, and choose a new password at once."
    ],
    link: { label: "Your settings", path: "/owner/settings" },
    why: `You get this letter because a chat was linked to your account at ${service}.`
  })
})
