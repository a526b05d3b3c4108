export { firstAnswers, firstAnswerReply, type RequestMemory, type UnderWay } from "./first-answers.ts"
