// Which roles need a second factor.
import { Checkbox, Group, Skeleton, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/api-client.ts'
import { signInKeys, signInQueries } from '../api/sign-in-queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { notifyDone } from '../ui/notify.tsx'
import { useRoleChoices } from './roles.ts'

export function TwoFactorRule() {
  const rule = useQuery(signInQueries.twoFactorRule)
  const queryClient = useQueryClient()
  const choices = useRoleChoices()
  const change = useMutation({
    mutationFn: (roles: string[]) => api.put<{ roles: string[] }>('/settings/two-factor', { roles }),
    onSuccess: (changed) => {
      queryClient.setQueryData(signInKeys.twoFactorRule, changed)
      notifyDone('The roles that need a second factor are changed.')
    },
  })
  if (rule.isPending) return <Skeleton height={60} />
  if (rule.isError) return <ErrorNote title="The rule could not be loaded" error={rule.error} />
  return (
    <>
      <Checkbox.Group
        label="Roles that need a second factor"
        description="Whoever has none can only set one up, from now on. API tokens and single sign-on are not affected."
        // A tick shows at once, and goes again if it is refused.
        value={change.isPending ? change.variables : rule.data.roles}
        onChange={(roles) => change.mutate(roles)}
      >
        <Group gap="lg" mt="xs">
          {choices.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} disabled={change.isPending} />
          ))}
        </Group>
      </Checkbox.Group>
      {change.isError && (
        <Text component="div" mt="sm">
          <ErrorNote title="The rule was not changed" error={change.error} />
        </Text>
      )}
    </>
  )
}
