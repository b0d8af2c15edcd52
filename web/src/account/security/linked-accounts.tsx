// Your accounts at providers of single sign-on, by which you can sign in too.
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/api-client.ts'
import type { AuthState } from '../../api/api-types.ts'
import { type Identity, signInKeys, signInQueries } from '../../api/sign-in-queries.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { notifyDone } from '../../ui/notify.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import classes from './security.module.css'

export function LinkedAccounts({ providers }: { providers: AuthState['providers'] }) {
  const identities = useQuery(signInQueries.identities)
  const link = useMutation({
    mutationFn: (id: string) => api.post<{ url: string }>(`/api/auth/oidc/${id}/link`),
    // The provider's page takes over, and leads back here.
    onSuccess: ({ url }) => window.location.assign(url),
  })
  if (identities.isPending) return <Skeleton height={60} />
  if (identities.isError) return <ErrorNote title="Your accounts could not be loaded" error={identities.error} />
  const { items } = identities.data
  return (
    <Stack gap="sm" align="stretch">
      {items.length === 0 ? (
        <Text size="sm">None yet. Once you link one, you can sign in by it too.</Text>
      ) : (
        <ul className={classes.list} aria-label="Linked accounts">
          {items.map((identity) => (
            <IdentityRow key={identity.id} identity={identity} />
          ))}
        </ul>
      )}
      {link.isError && <ErrorNote title="The account could not be linked" error={link.error} />}
      <Group gap="xs">
        {providers
          .filter(({ name }) => !items.some(({ provider }) => provider === name))
          .map(({ id, name }) => (
            <Button key={id} variant="default" loading={link.isPending} onClick={() => link.mutate(id)}>
              Link {name}
            </Button>
          ))}
      </Group>
    </Stack>
  )
}

function IdentityRow({ identity: { id, provider, email, createdAt, lastUsedAt } }: { identity: Identity }) {
  const queryClient = useQueryClient()
  const name = provider ?? 'A provider that is no longer configured'
  const unlink = useMutation({
    mutationFn: () => api.delete(`/api/auth/identities/${id}`),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: signInKeys.identities })
      notifyDone(`${name} is unlinked.`)
    },
  })
  return (
    <li className={classes.row}>
      <div>
        <Text fw={500} size="sm">
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {email && `${email} · `}linked <RelativeTime at={createdAt} />
          {lastUsedAt && (
            <>
              {' '}
              · last used <RelativeTime at={lastUsedAt} />
            </>
          )}
        </Text>
        {unlink.isError && <ErrorNote error={unlink.error} />}
      </div>
      <Button
        variant="subtle"
        color="gray"
        aria-label={`Unlink ${name}`}
        loading={unlink.isPending}
        onClick={() => unlink.mutate()}
      >
        Unlink
      </Button>
    </li>
  )
}
