import { path, template } from "./template.ts"

export const verifyAddress = template({
  values: { path },
  holds: ({ verify_link_seconds }) => verify_link_seconds,
  draft: (values, service) => ({
    subject: "Confirm your address",
    paragraphs: [
      `Somebody, most likely you, has opened an account at ${service} with this address.`,
      "Please confirm that the address is yours."
    ],
    link: { label: "Confirm the address", path: values.path },
    why:
      `You get this letter because this address was given at ${service}. ` +
      "If that was not you, you need do nothing: the address stays unconfirmed."
  })
})
