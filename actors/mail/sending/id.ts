/** The id of a sending in the queue: the message, and the number of its recipient, counted from 1. */

const SENDING_ID = /^([1-9]\d{0,14})-([1-9]\d?)$/

export const sendingId = (mail: number, n: number): string => `${mail}-${n}`

/** `null` if the text is no such id. */
export const sendingOf = (id: string): { readonly mail: number; readonly n: number } | null => {
  const [, mail, n] = SENDING_ID.exec(id) ?? []
  return mail === undefined || n === undefined ? null : { mail: Number(mail), n: Number(n) }
}
