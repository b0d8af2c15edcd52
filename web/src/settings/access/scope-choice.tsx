// Boxes for the scopes, with what each means.
import { Checkbox, Stack } from '@mantine/core'
import { SCOPES, type Scope } from '../../../../src/base/scopes.ts'
import { useUser } from '../../api/session.ts'
import { SCOPE_MEANS } from '../roles.ts'

interface ScopeChoiceProps {
  value: Scope[]
  onChange: (scopes: Scope[]) => void
  /** Scopes that cannot be chosen here. */
  without?: readonly Scope[]
}

/** Nobody gives more than they have. */
export function ScopeChoice({ value, onChange, without = [] }: ScopeChoiceProps) {
  const own = useUser()?.scopes ?? []
  return (
    <Checkbox.Group label="Scopes" value={value} onChange={(scopes) => onChange(scopes as Scope[])}>
      <Stack gap={6} mt={6}>
        {SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            label={<code>{scope}</code>}
            description={SCOPE_MEANS[scope]}
            disabled={!own.includes(scope) || without.includes(scope)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
