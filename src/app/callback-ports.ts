// What the store of callbacks needs besides the database: tokens, and the URLs that they stand in.
import { randomBytes } from 'node:crypto'
import { hashing } from '../base/hashing.ts'
import { createIds } from '../engine/ids.ts'
import { tokenFrom } from '../operations/ports/callbacks/callbacks.ts'
import type { Protect } from '../operations/ports/secrets.ts'
import type { CallbackPorts } from '../storage/stores/callbacks/callback-journal.ts'
import type { Config } from './config.ts'

const TOKEN_BYTES = 24

export function callbackPorts(
  { baseUrl, webhookBaseUrl }: Pick<Config, 'baseUrl' | 'webhookBaseUrl'>,
  protect: Protect,
  now: () => number,
): CallbackPorts {
  return {
    protect,
    ids: createIds(now, randomBytes),
    now,
    // A page on which users may have to sign in belongs to the origin of the UI.
    urlOf: (token, isApproval) => `${isApproval ? baseUrl : webhookBaseUrl}/api/v1/callbacks/${token}`,
    newToken: () => tokenFrom(randomBytes(TOKEN_BYTES).toString('base64url')),
    digest: hashing.sha256,
  }
}
