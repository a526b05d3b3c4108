/** The consequences of a message with owners for its agent: a message that was read needs no notification. */
import { HUB_ID_PATTERN } from "../../schemas/signing/key.ts"
import { awaited, on, reactions, commandFor } from "../reactions/reaction.ts"
import { OwnerMessageEvent } from "./state.ts"

export const seenOwnerMessages = awaited(
  reactions(
    "owner_message_seen",
    on("owner_message", OwnerMessageEvent, (event, { id }) =>
      event.type === "owner_message.read" && HUB_ID_PATTERN.test(event.by)
        ? [commandFor("owner.seen", event.by, { message: Number(id) })]
        : []
    )
  )
)
