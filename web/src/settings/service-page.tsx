import { Anchor, Code, Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ServiceSettings } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Facts } from '../ui/facts.tsx'
import { formatBytes } from '../ui/format.ts'
import { SettingsPage, SettingsPart } from './section.tsx'

export function ServicePage() {
  const settings = useQuery(queries.settings)
  return (
    <SettingsPage
      title="Service configuration"
      lead="The configuration of this server. It comes from environment variables and takes effect at the next start."
    >
      {settings.isPending && <Skeleton height={320} />}
      {settings.isError && (
        <ErrorNote
          title="The settings could not be loaded"
          error={settings.error}
          onRetry={() => void settings.refetch({ cancelRefetch: true })}
        />
      )}
      {settings.data && <ServiceFacts settings={settings.data} />}
    </SettingsPage>
  )
}

const STORAGE = { sqlite: 'SQLite, in the data folder', postgres: 'PostgreSQL' }

function ServiceFacts({ settings }: { settings: ServiceSettings }) {
  const { version, baseUrl, webhookBaseUrl, storage, limits, egressAllow, proxy, env, config } = settings
  const count = (value: number) => value.toLocaleString('en')
  return (
    <>
      <Facts
        facts={[
          ['Version', version],
          ['Address', <Code key="url">{baseUrl}</Code>],
          ['Webhooks', <Code key="webhooks">{webhookBaseUrl}</Code>],
          ['Storage', STORAGE[storage]],
          [
            'API',
            <Group key="api" gap="md">
              <Anchor href="/api/docs" size="sm">
                Description
              </Anchor>
              <Anchor href="/api/v1/openapi.json" size="sm">
                OpenAPI document
              </Anchor>
            </Group>,
          ],
        ]}
      />
      <SettingsPart title="Limits">
        <Facts
          facts={[
            ['Largest webhook body', formatBytes(limits.maxBodyBytes)],
            ['Deliveries per second and webhook', limits.webhookRate === 0 ? 'No limit' : count(limits.webhookRate)],
            ['Runs in the queue', `${count(limits.maxQueue)}, then webhooks reply 503`],
            ['Parallel runs', count(limits.concurrency)],
            [
              'Parallel HTTP requests',
              `${count(limits.httpConcurrency)}, of these ${count(limits.httpPerHost)} per host`,
            ],
            ['Runs and deliveries are kept', `${count(limits.retentionDays)} days`],
          ]}
        />
      </SettingsPart>
      <SettingsPart title="What flows can reach">
        <Facts
          facts={[
            ['Besides public addresses', <Names key="egress" names={egressAllow} none="Nothing" />],
            [
              'Through the proxy',
              <Names key="proxy" names={proxy} none="No proxy: requests go direct (MILLRACE_PROXY)" />,
            ],
            [
              'Read as config.<name>, plain',
              <Names
                key="config"
                names={Object.entries(config).map(([name, value]) => `${name}=${value}`)}
                none="Nothing is set (MILLRACE_VAR_<NAME>)"
              />,
            ],
            ['Read as env.<name>, secret', <Names key="env" names={env} none="Nothing is set (MILLRACE_ENV_<NAME>)" />],
          ]}
        />
      </SettingsPart>
    </>
  )
}

function Names({ names, none }: { names: string[]; none: string }) {
  if (names.length === 0)
    return (
      <Text c="dimmed" inherit>
        {none}
      </Text>
    )
  return (
    <Group gap={6}>
      {names.map((name) => (
        <Code key={name}>{name}</Code>
      ))}
    </Group>
  )
}
