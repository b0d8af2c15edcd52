// The problems of a flow in the words of its forms. The service names settings as the document does; people see labels.
import type { Issue } from '../../../src/flow/issue.ts'

/** Settings by the end of their JSON Pointer, the first that fits: the label in the form, and what one enters there. */
const LABELS: readonly [end: RegExp, label: string, entered: string][] = [
  [/\/(trigger|callback)\/when$/, 'Only when', 'a condition'],
  [/\/(trigger|callback)\/auth\/name$/, 'The name', 'a name'],
  [/\/(trigger|callback)\/auth\/secret$/, 'Signing secret', 'a secret'],
  [/\/(trigger|callback)\/auth\/header$/, 'Header', 'a header'],
  [/\/(trigger|callback)\/auth\/tolerance$/, 'Maximum age', 'a number of seconds'],
  [/\/(trigger|callback)\/accept$/, 'Content types', 'a content type'],
  [/\/trigger\/ips$/, 'Allowed addresses', 'an address'],
  [/\/trigger\/concurrency$/, 'Parallel runs', 'a number'],
  [/\/trigger\/dedupe\/window$/, 'Remembered for', 'a number of seconds'],
  [/\/response\/timeout$/, 'Wait at most', 'a number of seconds'],
  [/\/auth\/username$/, 'User name', 'a user name'],
  [/\/auth\/password$/, 'Password', 'a password'],
  [/\/auth\/token$/, 'Token', 'a token'],
  [/\/auth\/value$/, 'Key', 'a key'],
  [/\/auth\/connection$/, 'Connection', 'a connection'],
  [/\/auth\/kind$/, 'Authentication', 'a kind of authentication'],
  [/\/retry\/attempts$/, 'Attempts', 'a number'],
  [/\/retry\/delay$/, 'First pause', 'a number of seconds'],
  [/\/retry\/maxDelay$/, 'Longest pause', 'a number of seconds'],
  [/\/retry\/backoff$/, 'Grows by', 'a number'],
  [/\/approval\/title$/, 'Question', 'a question'],
  [/\/approval\/fields\/\d+\/label$/, 'Label', 'a label'],
  [/\/(callback|approval)\/timeout$/, 'At most', 'a time'],
  [/\/(headers|query|fields)\/\d+\/name$/, 'Name', 'a name'],
  [/\/(headers|query|fields)\/\d+\/value$/, 'Value', 'a value'],
  [/\/body\/value$/, 'Body', 'a body'],
  [/\/body\/contentType$/, 'Content type', 'a content type'],
  [/\/branches\/\d+\/name$/, 'Name', 'a name'],
  [/\/flow$/, 'Flow', 'a flow'],
  [/\/url$/, 'URL', 'a URL'],
  [/\/method$/, 'Method', 'a method'],
  [/\/when$/, 'When', 'a condition'],
  [/\/each$/, 'List', 'a list'],
  [/\/while$/, 'While', 'a condition'],
  [/\/collect$/, 'Collect', 'what to collect'],
  [/\/max$/, 'At most', 'a number'],
  [/\/concurrency$/, 'At once', 'a number'],
  [/\/seconds$/, 'Time', 'a time'],
  [/\/until$/, 'Until', 'a date'],
  [/\/code$/, 'Code', 'some code'],
  [/\/key$/, 'Key', 'a key'],
  [/\/op$/, 'Operation', 'an operation'],
  [/\/ttl$/, 'Expires after', 'a number of seconds'],
  [/\/message$/, 'Message', 'a message'],
  [/\/status$/, 'Status', 'a status'],
  [/\/timeout$/, 'Timeout', 'a number of seconds'],
  [/\/memory$/, 'Memory', 'a number of megabytes'],
  [/^\/name$/, 'The name of the flow', 'a name for the flow'],
]

/** What a setting has to look like, where the service says it with a pattern or in seconds. */
const FORMS: readonly [end: RegExp, code: string, words: string][] = [
  [/\/approval\/answers\/\d+$/, 'invalid_format', 'Enter an answer, without spaces around it'],
  [/\/approval\/fields\/\d+\/name$/, 'invalid_format', 'Enter a name: a letter, then letters, digits or _'],
  [/\/(callback|approval)\/timeout$/, 'out_of_range', 'Enter a time from 1 second to 365 days'],
]

/** Returns the message with the label of the form in place of the setting's name. */
export function issueWords({ path, code, message }: Issue): string {
  const form = FORMS.find(([end, wrong]) => wrong === code && end.test(path))
  if (form) return form[2]
  const found = LABELS.find(([end]) => end.test(path))
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (!found || !message.startsWith(`${name} `)) return message
  const [, label, entered] = found
  const rest = message.slice(name.length + 1)
  // A choice stays: it says what there is to choose from.
  if ((code === 'empty' || code === 'missing') && !rest.includes('one of')) return `Enter ${entered}`
  return `${label} ${rest}`
}
