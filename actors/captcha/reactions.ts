/** Notifies the agent of a captcha's outcome. */
import { awaited, on, reactions, commandFor } from "../reactions/reaction.ts"
import { CaptchaEvent } from "./state.ts"

export const captchaNotifications = awaited(
  reactions(
    "captcha_told",
    on("captcha", CaptchaEvent, (event, { id, at }) => {
      const captcha = Number(id)
      switch (event.type) {
        case "captcha.answered":
          return [
            commandFor("captcha.told", event.agent, { captcha, state: "answered", kind: event.kind, answered_at: at })
          ]
        case "captcha.ended":
          return [
            commandFor("captcha.told", event.agent, {
              captcha,
              state: event.state,
              kind: event.kind,
              answered_at: null
            })
          ]
        default:
          return []
      }
    })
  )
)
