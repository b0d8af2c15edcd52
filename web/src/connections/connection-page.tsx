import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError, api } from '../api/api-client.ts'
import type { Connection } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { ConfirmPopover } from '../ui/confirm-popover.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { notifyDone } from '../ui/notify.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { CallbackUrl } from './callback-url.tsx'
import { type ConnectionDraft, differs, draftOf, requestOf } from './connection-draft.ts'
import { ConnectionFields } from './connection-fields.tsx'
import { kindInfo } from './connection-kinds.ts'
import classes from './connection-page.module.css'
import { ConnectionStateLine } from './connection-state.tsx'
import { OAuthConnect } from './oauth-connect.tsx'
import { TestConnection } from './test-connection.tsx'
import { CertificateLine } from './tls/certificate-expiry.tsx'

const route = getRouteApi('/signed-in/connections/$name')

export function ConnectionPage() {
  const { name } = route.useParams()
  const connection = useQuery(queries.connection(name))
  const mayWrite = useMay('connections:write')
  return (
    <>
      <PageHeader
        title={name}
        crumbs={[{ label: 'Connections', to: '/connections' }]}
        status={connection.data && kindInfo(connection.data.kind).label}
        actions={connection.data && mayWrite && <DeleteConnection connection={connection.data} />}
      />
      <PageBody>
        {connection.isPending && <Skeleton height={280} />}
        {connection.isError && (
          <ErrorNote
            title="The connection could not be loaded"
            error={connection.error}
            onRetry={() => void connection.refetch({ cancelRefetch: true })}
          />
        )}
        {connection.data && (
          <div className={classes.columns}>
            <ConnectionForm key={name} connection={connection.data} readOnly={!mayWrite} />
            <aside className={classes.aside}>
              <ConnectionStateCard key={connection.data.updatedAt} connection={connection.data} mayWrite={mayWrite} />
              <UsedBy connection={connection.data} />
              <HowToUse connection={connection.data} />
            </aside>
          </div>
        )}
      </PageBody>
    </>
  )
}

function ConnectionForm({ connection, readOnly }: { connection: Connection; readOnly: boolean }) {
  const [draft, setDraft] = useState<ConnectionDraft>(() => draftOf(connection))
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: () => api.put<Connection>(`/connections/${connection.name}`, requestOf(draft)),
    onSuccess: (saved) => {
      queryClient.setQueryData(keys.connection(saved.name), saved)
      void queryClient.invalidateQueries({ queryKey: keys.connections, exact: true })
      setDraft(draftOf(saved))
      notifyDone(`"${saved.name}" is saved. The next step that uses it gets the new values, also in runs under way.`)
    },
  })
  const issues = save.error instanceof ApiError && save.error.status === 400 ? save.error.issues : []
  const changed = differs(draft, connection)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} className={classes.form}>
      <Stack gap="md">
        <ConnectionFields
          draft={draft}
          onChange={(next) => {
            save.reset()
            setDraft(next)
          }}
          issues={issues}
          readOnly={readOnly}
        />
        {save.isError && issues.length === 0 && <ErrorNote title="The connection was not saved" error={save.error} />}
        {!readOnly && (
          <Group gap="xs">
            <Button type="submit" loading={save.isPending} disabled={!changed}>
              Save
            </Button>
            {changed && (
              <Button
                variant="default"
                onClick={() => {
                  save.reset()
                  setDraft(draftOf(connection))
                }}
              >
                Discard changes
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </form>
  )
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.card}>
      <Title order={2} size="h3" mb={8}>
        {title}
      </Title>
      {children}
    </section>
  )
}

function ConnectionStateCard({ connection, mayWrite }: { connection: Connection; mayWrite: boolean }) {
  const { expiresAt, kind, fields } = connection
  const queryClient = useQueryClient()
  const needsBrowser = kind === 'oauth2' && fields['grant'] !== 'client_credentials'
  return (
    <Card title="State">
      <Stack gap="xs">
        <div>
          <ConnectionStateLine connection={connection} />
        </div>
        {expiresAt && (
          <Text size="sm" c="dimmed">
            The access token expires <RelativeTime at={expiresAt} />; Millrace refreshes it in time.
          </Text>
        )}
        <CertificateLine connection={connection} />
        {needsBrowser && mayWrite && <OAuthConnect connection={connection} />}
        {needsBrowser && <CallbackUrl />}
        {kind === 'custom' && (
          <Text size="xs" c="dimmed">
            Test a step that uses it: only a flow says where its fields go.
          </Text>
        )}
        {mayWrite && kind !== 'custom' && connection.state === 'ready' && (
          <TestConnection
            connection={connection}
            onTested={() => void queryClient.invalidateQueries({ queryKey: keys.connections })}
          />
        )}
        <Text size="xs" c="dimmed">
          Changed <RelativeTime at={connection.updatedAt} />
        </Text>
      </Stack>
    </Card>
  )
}

function UsedBy({ connection: { usedBy } }: { connection: Connection }) {
  return (
    <Card title="Used by">
      {usedBy.length === 0 ? (
        <Text size="sm" c="dimmed">
          No flow uses it yet.
        </Text>
      ) : (
        <ul className={classes.flows}>
          {usedBy.map(({ id, name }) => (
            <li key={id}>
              <Anchor component={Link} to={`/flows/${id}`} size="sm">
                {name}
              </Anchor>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function HowToUse({ connection: { name, kind, secretFields } }: { connection: Connection }) {
  const text = kindInfo(kind).use(name, secretFields[0] ?? 'key')
  return (
    <Card title="In a step">
      <div className={classes.snippet}>
        <pre>{text}</pre>
        <CopyButton value={text} label="Copy" />
      </div>
    </Card>
  )
}

function DeleteConnection({ connection: { name, usedBy } }: { connection: Connection }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    try {
      await api.delete(`/connections/${name}`)
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        throw new ApiError(
          409,
          error.code,
          `${error.message} Take it out of these flows and publish them, or unpublish them.`,
          error.issues,
        )
      throw error
    }
    queryClient.removeQueries({ queryKey: keys.connection(name) })
    await queryClient.invalidateQueries({ queryKey: keys.connections, exact: true })
    notifyDone(`"${name}" is deleted.`)
    await navigate({ to: '/connections' })
  }
  return (
    <ConfirmPopover
      title={`Delete "${name}"?`}
      confirm="Delete connection"
      onConfirm={remove}
      target={(ask) => (
        <Button variant="default" leftSection={<IconTrash size={15} />} onClick={ask}>
          Delete
        </Button>
      )}
    >
      Its secrets are deleted for good.{' '}
      {usedBy.length > 0
        ? 'While a published flow uses it, this is refused; drafts that name it cannot be published afterwards.'
        : 'No flow uses it.'}
    </ConfirmPopover>
  )
}
