export { Captchas, captchaTaking, type Whose } from "./captchas.ts"
export { Solving, type Shown } from "./solving.ts"
