/** Messages that the next page shows once after a form. The cookie holds a message's name, never its text. */
export const NOTICES = {
  signed_up: "Your account is there. Open the letter that is on its way to you to confirm your address.",
  logged_out: "You have logged out.",
  letter_asked: "If there is an account with this address, a letter is on its way.",
  password_chosen: "Your new password holds, and all sessions have ended. Log in with it.",
  address_confirmed: "Your address is confirmed.",
  already_confirmed: "Your address is confirmed already.",
  verification_sent: "Another letter is on its way to you. Links of older ones have ended.",
  agent_asked: "The agent is asked. It stands here what it says.",
  agent_withdrawn: "You have withdrawn: your name stands on that agent's page no more.",
  agent_answered: "Your answer is with the agent.",
  captcha_sent: "Thank you.",
  fill_allowed: "You have allowed it.",
  fill_declined: "You have declined it: nothing of it was used.",
  fill_over: "It waits no more: somebody has answered, or its time is over.",
  owner_approved: "You have approved that owner, who may allow fills now.",
  owner_objected: "You have objected: that owner may allow no fills.",
  entry_revoked: "That entry is revoked, and its secret is erased.",
  mailbox_closed: "That mailbox is closed, and what it received is erased.",
  compartment_made: "It is there, and starts within a minute. Its agent is new, and you stand behind it.",
  compartment_started: "It is told to start.",
  compartment_stopped: "It is told to stop.",
  compartment_restarted: "It is told to stop, and to start anew.",
  compartment_deleted: "That compartment is deleted, with everything that was in it.",
  agent_written: "The agent has your words.",
  renamed: "Your name is changed.",
  session_ended: "That session has ended.",
  others_ended: "All other sessions have ended.",
  chat_unlinked: "Your chat is linked no more.",
  push_on: "You are told in that browser from now on.",
  push_ended: "You are told in that browser no more.",
  relay_chosen: "From now on you hear of what you have chosen.",
  two_step_offered: "Now let your app read the code below, and type what it shows.",
  two_step_off: "Your login asks for no code any more.",
  passkey_added: "Your passkey lets you in from now on.",
  passkey_removed: "That passkey lets nobody in any more.",
  deleted: "Your account is deleted, and what was known of you is erased."
} as const

export type Notice = keyof typeof NOTICES

export const isNotice = (name: string): name is Notice => Object.hasOwn(NOTICES, name)
