// The first minute: send a request, see it arrive, build on it.
import { Anchor, Button, Group, Tabs, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { toCurl } from '../../../../src/flow/curl/to-curl.ts'
import { api } from '../../api/api-client.ts'
import type { Sample, Sender } from '../../api/api-types.ts'
import { sampleBody, sampleXml } from '../../flow-model/templates/sample-body.ts'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DataTree } from '../../ui/data/data-tree.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { SendSample } from '../sender/send-sample.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { withBody } from '../state/use-large-body.ts'
import classes from './trigger.module.css'

type SampleXml = NonNullable<ReturnType<typeof sampleXml>>

/** `sender`: what it sends is signed, so that a command could not be written for it. */
export function FirstRequest({ sender }: { sender: Sender | null }) {
  const { sample, samples, document, flow } = useEditor()
  const [composing, setComposing] = useState(false)
  const example = useMemo(() => sampleBody(document), [document])
  const xml = useMemo(() => sampleXml(document), [document])
  const command = toCurl({
    method: 'POST',
    url: flow.webhook!.testUrl,
    body: xml ? { kind: 'text', value: xml.text, contentType: xml.type } : { kind: 'json', value: example },
  }).replace(/ \\\n {2}-L$/, '')
  return (
    <>
      {!sender && (
        <div>
          <Text size="sm" fw={500} mb={4}>
            Send a test request
          </Text>
          <div className={`${classes.address} ${classes.command}`}>
            <code>{command}</code>
            <CopyButton value={command} label="Copy the curl command" />
          </div>
        </div>
      )}
      <div className={classes.listen} aria-live="polite">
        {sample ? <Received sample={sample} isLatest={sample.id === samples[0]?.id} /> : <Waiting />}
        {sender ? (
          <SendSample sender={sender} />
        ) : composing ? (
          <Compose example={example} xml={xml} onDone={() => setComposing(false)} />
        ) : (
          <Group>
            <Button
              variant={sample ? 'default' : 'filled'}
              size="xs"
              leftSection={<IconSend size={14} />}
              onClick={() => setComposing(true)}
            >
              Send a sample
            </Button>
          </Group>
        )}
      </div>
      {samples.length > 1 && <Samples />}
    </>
  )
}

function Waiting() {
  return (
    <div>
      <div className={classes.waiting}>
        <span className={classes.pulse} aria-hidden="true" />
        Waiting for a test request…
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        It starts no run. The request appears here, and the fields of the flow can use its data.
      </Text>
    </div>
  )
}

function Received({ sample, isLatest }: { sample: Sample; isLatest: boolean }) {
  const { largeBody } = useEditor()
  const { webhook, receivedAt } = sample
  return (
    <>
      <div className={classes.sampleHead}>
        <span>{isLatest ? 'Test request received' : 'The sample in use'}</span>
        <Text size="xs" c="dimmed">
          <RelativeTime at={receivedAt} />
        </Text>
      </div>
      <Tabs defaultValue="body" keepMounted={false}>
        <Tabs.List mb={8}>
          <Tabs.Tab value="body">Body</Tabs.Tab>
          <Tabs.Tab value="headers">Headers ({Object.keys(webhook.headers).length})</Tabs.Tab>
          <Tabs.Tab value="query">Query ({Object.keys(webhook.query).length})</Tabs.Tab>
          <Tabs.Tab value="all">All</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="body">
          {webhook.bodyOmitted ? (
            <LargeBodyView />
          ) : (
            <DataTree value={webhook.body} path="webhook.body" label="The request's body" />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="headers">
          <DataTree value={webhook.headers} path="webhook.headers" label="The request's headers" withRaw={false} />
        </Tabs.Panel>
        <Tabs.Panel value="query">
          <DataTree value={webhook.query} path="webhook.query" label="The request's query" withRaw={false} />
        </Tabs.Panel>
        <Tabs.Panel value="all">
          <DataTree value={withBody(sample, largeBody)} path="webhook" label="The whole request" />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function LargeBodyView() {
  const { largeBody } = useEditor()
  const fetched = largeBody?.fetched
  if (fetched && 'value' in fetched)
    return <DataTree value={fetched.value} path="webhook.body" label="The request's body" />
  return (
    <Group gap="xs">
      <Text size="xs" c="dimmed">
        {fetched ? fetched.problem : 'The body is large. It is being fetched…'}
      </Text>
      {fetched && (
        <Anchor size="xs" href={largeBody!.url} download>
          Download it
        </Anchor>
      )}
    </Group>
  )
}

function Compose({ example, xml, onDone }: { example: object; xml: SampleXml | null; onDone: () => void }) {
  const { flow, sample, editor } = useEditor()
  const [text, setText] = useState(() =>
    xml ? sample?.webhook.rawBody || xml.text : JSON.stringify(sample?.webhook.body ?? example, null, 2),
  )
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    setError(null)
    try {
      const body = xml ? text : (JSON.parse(text) as unknown)
      await editor.flush()
      const headers: Record<string, string> = xml ? { 'content-type': xml.type } : {}
      await api.post(`/webhooks/${flow.webhook!.id}/test`, body, { headers })
      onDone()
    } catch (caught) {
      setError(caught instanceof SyntaxError ? new Error(`This is not JSON: ${caught.message}`) : caught)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <CodeEditor
        value={text}
        onChange={setText}
        mode={xml ? 'text' : 'json'}
        label="Body of the sample"
        minHeight={80}
        maxHeight={260}
        lineNumbers={false}
        autoFocus
      />
      {error !== null && (
        <ErrorNote
          title="The sample was not accepted"
          error={error}
          hint="A test request passes the same checks as a delivery."
        />
      )}
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button size="xs" loading={busy} onClick={() => void send()}>
          Send
        </Button>
      </Group>
    </>
  )
}

function Samples() {
  const { samples, sample, chooseSample } = useEditor()
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Samples
      </Text>
      <div className={classes.samples}>
        {samples.map(({ id, receivedAt, webhook }) => (
          <div key={id} className={classes.sample}>
            <Text size="xs" c="dimmed" style={{ flex: 'none', width: 70 }}>
              <RelativeTime at={receivedAt} />
            </Text>
            <code>{webhook.bodyOmitted ? 'a large body' : JSON.stringify(webhook.body).slice(0, 120)}</code>
            {id !== sample?.id && webhook.bodyOmitted ? null : id === sample?.id ? (
              <Text size="xs" c="var(--mr-accent)" px={10}>
                In use
              </Text>
            ) : (
              <Button size="xs" variant="subtle" onClick={() => chooseSample(id)}>
                Use this sample
              </Button>
            )}
          </div>
        ))}
      </div>
    </div>
  )
}
