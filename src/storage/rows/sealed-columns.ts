// Lists every column that holds sealed texts, for both databases: a new one is added here, so that rotation finds it.
import {
  alertBinding,
  answerBinding,
  authorizationBinding,
  callbackBinding,
  connectionBinding,
  deliveryBinding,
  fileBinding,
  grantBinding,
  keyValueBinding,
  runBinding,
  secondFactorBinding,
  stepBinding,
} from './bindings.ts'

export interface SealedColumn {
  table: string
  /** The columns of the primary key. */
  keys: readonly string[]
  column: string
  /** The condition that a row holds a sealed text, word for word as in the indexes of 008-sealed: they need it. */
  isSealed: string
  /** Returns the binding of the row with this key. */
  bindingOf(...key: string[]): string
}

const IS_THERE = 'sealed is not null'

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'vault_check', keys: ['id'], column: 'sealed', isSealed: IS_THERE, bindingOf: () => 'vault' },
  { table: 'connection', keys: ['name'], column: 'sealed', isSealed: IS_THERE, bindingOf: connectionBinding },
  { table: 'connection_grant', keys: ['connection'], column: 'sealed', isSealed: IS_THERE, bindingOf: grantBinding },
  {
    table: 'authorization_request',
    keys: ['id'],
    column: 'sealed',
    isSealed: IS_THERE,
    bindingOf: authorizationBinding,
  },
  {
    table: 'key_value',
    keys: ['flow_id', 'key'],
    column: 'value',
    isSealed: "substr(value, 1, 7) = 'sealed:'",
    bindingOf: keyValueBinding,
  },
  { table: 'alert', keys: ['id'], column: 'sealed', isSealed: IS_THERE, bindingOf: alertBinding },
  { table: 'second_factor', keys: ['user_id'], column: 'sealed', isSealed: IS_THERE, bindingOf: secondFactorBinding },
  { table: 'callback', keys: ['id'], column: 'sealed', isSealed: IS_THERE, bindingOf: callbackBinding },
  { table: 'callback_answer', keys: ['id'], column: 'sealed', isSealed: IS_THERE, bindingOf: answerBinding },
  { table: 'run', keys: ['id'], column: 'sealed', isSealed: IS_THERE, bindingOf: runBinding },
  { table: 'delivery', keys: ['id'], column: 'sealed', isSealed: IS_THERE, bindingOf: deliveryBinding },
  {
    table: 'file',
    keys: ['id'],
    column: 'sealed_key',
    isSealed: 'sealed_key is not null',
    bindingOf: fileBinding,
  },
  { table: 'step', keys: ['run_id', 'path'], column: 'sealed', isSealed: IS_THERE, bindingOf: stepBinding },
]
