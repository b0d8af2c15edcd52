// The HTTP request: method and URL on one line, everything else in tabs that say what they hold.
import { Select, Tabs } from '@mantine/core'
import { SegmentField, SwitchField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { IssueNotes, ProblemMark } from '../../fields/field-frame.tsx'
import { NameValueList } from '../../fields/name-value-list.tsx'
import { NumberField, TemplateField } from '../../fields/template-field.tsx'
import { isInside } from '../../flow-model/flow-tree.ts'
import classes from '../panel/panel.module.css'
import { useEditor } from '../state/editor-context.tsx'
import { ConnectionChoice } from './connection-choice.tsx'
import { HttpAuth } from './http-auth.tsx'
import { HttpBody } from './http-body.tsx'
import { HttpReply } from './http-reply.tsx'
import type { KindFormProps } from './kind-form-props.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

export function HttpForm({ place: { path, step } }: KindFormProps) {
  const method = useField(`${path}/method`)
  const { issues } = useEditor()
  const counted = (key: string) => (Array.isArray(step[key]) && step[key].length ? ` (${step[key].length})` : '')
  const kindOf = (key: string) => (step[key] as { kind?: string } | undefined)?.kind
  const auth = kindOf('auth')
  const markOf = (...keys: string[]) => {
    const found = issues.filter((issue) => keys.some((key) => isInside(issue.path, `${path}/${key}`)))
    return found.length > 0 && <ProblemMark issues={found} />
  }
  return (
    <>
      <div>
        <div className={classes.request}>
          <Select
            aria-label="Method"
            data={METHODS}
            value={typeof method.value === 'string' ? method.value : null}
            disabled={method.readOnly}
            error={method.issues.length > 0}
            onChange={(chosen) => chosen && method.set(chosen)}
            comboboxProps={{ withinPortal: true }}
            styles={{ input: { fontWeight: 600 } }}
          />
          <TemplateField
            bare
            path={`${path}/url`}
            label="URL"
            mode="url"
            placeholder="https://api.example.com/orders/{{ webhook.body.id }}"
          />
        </div>
        <IssueNotes issues={method.issues} />
      </div>
      <Tabs defaultValue="query" keepMounted={false}>
        <Tabs.List mb={12}>
          <Tabs.Tab value="query" rightSection={markOf('query')}>
            Query{counted('query')}
          </Tabs.Tab>
          <Tabs.Tab value="headers" rightSection={markOf('headers')}>
            Headers{counted('headers')}
          </Tabs.Tab>
          <Tabs.Tab value="body" rightSection={markOf('body', 'compress')}>
            Body{kindOf('body') ? `: ${kindOf('body')}` : ''}
          </Tabs.Tab>
          <Tabs.Tab value="auth" rightSection={markOf('auth', 'tls')}>
            Auth{auth && auth !== 'none' ? `: ${auth}` : ''}
          </Tabs.Tab>
          <Tabs.Tab value="more" rightSection={markOf(...MORE)}>
            More
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="query">
          <NameValueList path={`${path}/query`} noun="parameter" placeholder={['page', '{{ loop.index + 1 }}']} />
        </Tabs.Panel>
        <Tabs.Panel value="headers">
          <NameValueList path={`${path}/headers`} noun="header" placeholder={['Accept-Language', 'en']} />
        </Tabs.Panel>
        <Tabs.Panel value="body">
          <HttpBody path={path} />
        </Tabs.Panel>
        <Tabs.Panel value="auth">
          <HttpAuth path={`${path}/auth`} />
          <HttpTls path={`${path}/tls`} />
        </Tabs.Panel>
        <Tabs.Panel value="more">
          <div className={classes.section}>
            <NumberField
              path={`${path}/timeout`}
              label="Timeout"
              description="seconds, for the whole request"
              placeholder="30"
            />
            <HttpReply path={`${path}/response`} />
            <SwitchField
              path={`${path}/failOnError`}
              label="Fail on 4xx and 5xx"
              description="Otherwise such a reply is an ordinary result."
              standard
            />
            <SwitchField path={`${path}/followRedirects`} label="Follow redirects" description="At most 10." standard />
            <SwitchField
              path={`${path}/cookies`}
              label="Keep cookies along redirects"
              description="Cookies that a redirect sets go back to the same host, within this request."
              standard={false}
            />
            <SwitchField
              path={`${path}/idempotencyKey`}
              label="Send an Idempotency-Key"
              description="It stays the same on every resend, so that the API can recognize it."
              standard={false}
            />
            <SegmentField
              path={`${path}/onInterrupt`}
              label="After a crash between request and reply"
              fallback="resend"
              options={[
                { value: 'resend', label: 'Send again' },
                { value: 'fail', label: 'Fail the step' },
              ]}
            />
          </div>
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

/** Whose certificate the request shows, and whom it trusts. */
function HttpTls({ path }: { path: string }) {
  const { value, set } = useField(path)
  const { issues } = useEditor()
  const name = (value as { connection?: unknown } | undefined)?.connection
  return (
    <div className={classes.section} style={{ marginTop: 12 }}>
      <ConnectionChoice
        kinds={['tls']}
        label="Client certificate"
        description="and authorities; by default those of the connection above"
        chosen={typeof name === 'string' && name !== '' ? name : null}
        issues={issues.filter((issue) => isInside(issue.path, path))}
        onChoose={(connection) => set({ connection: connection.name })}
        onClear={() => set(undefined)}
      />
    </div>
  )
}

/** What stands on the last tab. */
const MORE = ['timeout', 'response', 'followRedirects', 'cookies', 'failOnError', 'idempotencyKey', 'onInterrupt']
