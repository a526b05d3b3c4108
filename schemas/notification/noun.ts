export { NotificationApi as api } from "./api.ts"
export { notificationOperations as operations, notificationQueries as queries } from "./operations.ts"
