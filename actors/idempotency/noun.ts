export {
  firstAnswers,
  firstAnswerReply,
  type FirstAnswersParts,
  type RequestMemory,
  type UnderWay
} from "./first-answers.ts"
