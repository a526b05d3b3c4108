import { template } from "./template.ts"

export const pushSubscribed = template({
  values: {},
  draft: (_values, service) => ({
    subject: "A browser was added to your account",
    paragraphs: [
      `A browser was added to your account at ${service}: it shows notifications of what your agents ask and what happens to them.`,
      "If that was not you, end it in your settings, and choose a new password at once."
    ],
    link: { label: "Your settings", path: "/owner/settings" },
    why: `You get this letter because a browser was added to your account at ${service}.`
  })
})
