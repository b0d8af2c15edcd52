// Makes a connection of a secret that was typed into a draft, which nobody can read any more. The draft stays as it is: the editor
// puts the reference into it, as any other change.
import { CODE } from '../../base/error-catalogue.ts'
import { SEALED_PREFIX } from '../../base/sealed-prefix.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { mapSecrets } from '../../flow/secret-literals.ts'
import type { ConnectionView } from '../connections/read-connections.ts'
import { createConnection } from '../connections/save-connection.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import { findFlow } from './draft.ts'
import type { FlowServices } from './services.ts'

export interface SecretMove {
  path: string
  name: string
  kind: string
  field: string
  fields?: Record<string, string>
  hosts?: string[]
}

export async function connectionFromSecret(
  services: FlowServices,
  actor: Actor,
  flowId: string,
  { path, name, kind, field, fields = {}, hosts }: SecretMove,
): Promise<ConnectionView> {
  const { draft } = await findFlow(services, flowId)
  const secret = secretAt(services, flowId, parseJson(draft), path)
  if (secret === null)
    throw new OperationError(CODE.invalid_request, 'The draft has no stored secret at this place: save it first.', [
      { path: '/path', code: 'missing', message: `No stored secret is at ${path}` },
    ])
  return createConnection(services, actor, {
    name,
    kind,
    fields: { ...fields, [field]: secret },
    ...(hosts && { hosts }),
  })
}

function secretAt({ secrets, kinds }: FlowServices, flowId: string, document: unknown, path: string): string | null {
  let found: string | null = null
  mapSecrets(document, kinds, (literal, place) => {
    if (place === path && literal.startsWith(SEALED_PREFIX)) found = secrets.unseal(literal, flowId)
    return literal
  })
  return found
}
