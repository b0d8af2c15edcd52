// The row that each sealed text is bound to. A text that is moved to another row cannot be opened.

export const connectionBinding = (name: string): string => `connection:${name}`
export const grantBinding = (connection: string): string => `grant:${connection}`
export const authorizationBinding = (id: string): string => `authorization:${id}`
export const keyValueBinding = (flowId: string, key: string): string => `key:${flowId}:${key}`
export const alertBinding = (id: string): string => `alert:${id}`
export const callbackBinding = (id: string): string => `callback:${id}`
export const answerBinding = (id: string): string => `callback-answer:${id}`
export const runBinding = (runId: string): string => `run:${runId}`
export const deliveryBinding = (id: string): string => `delivery:${id}`
export const stepBinding = (runId: string, path: string): string => `run:${runId}:${path}`
export const fileBinding = (id: string): string => `file:${id}`
export const secondFactorBinding = (userId: string): string => `second-factor:${userId}`
