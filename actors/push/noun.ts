export { letterOf, pushHostOf, pushMessageOf } from "./message.ts"
export { Pusher } from "./pusher.ts"
export { pushSending } from "./sending.ts"
