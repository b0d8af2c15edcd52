// Takes a request that is written down elsewhere as the settings of the step, and lists what it could not take over.
import { Button, FileButton, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import type { HttpRequestSettings } from '../../../../src/flow/curl/http-settings.ts'
import { type NotTaken, parseCurl } from '../../../../src/flow/curl/parse-curl.ts'
import { importOperation } from '../../../../src/flow/openapi/import-operation.ts'
import { findOperation, type OpenApi, OpenApiError, readOpenApi } from '../../../../src/flow/openapi/read-openapi.ts'
import type { StepPlace } from '../../flow-model/flow-tree.ts'
import classes from '../panel/panel.module.css'
import { useEdits } from '../state/use-edits.ts'

export type ImportSource = 'curl' | 'OpenAPI'

interface Imported {
  settings: HttpRequestSettings
  notTaken: NotTaken[]
}

interface SourceProps {
  /** `null`: what is there is nothing yet. */
  children: (imported: Imported | null) => ReactNode
}

export function ImportStep({ place, from, onClose }: { place: StepPlace; from: ImportSource; onClose: () => void }) {
  const edits = useEdits()
  const [notTaken, setNotTaken] = useState<NotTaken[] | null>(null)
  const take = (imported: Imported) => {
    const { id, kind, name, onError, retry } = place.step
    const common = Object.fromEntries(
      Object.entries({ id, kind, name, onError, retry }).filter(([, value]) => value !== undefined),
    )
    edits.replace(place, { ...(common as typeof place.step), ...imported.settings }, `Import ${from} into ${id}`)
    if (imported.notTaken.length) setNotTaken(imported.notTaken)
    else onClose()
  }
  if (notTaken)
    return (
      <div className={classes.case} role="status">
        <Text fw={500}>Imported, except for</Text>
        <NotTakenList list={notTaken} />
        <Group justify="flex-end">
          <Button size="xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </div>
    )
  const Source = from === 'curl' ? CurlSource : OpenApiSource
  return (
    <div className={classes.case}>
      <Source>
        {(imported) => (
          <>
            {imported && imported.notTaken.length > 0 && (
              <Stack gap={4}>
                <Text size="xs" c="dimmed">
                  The import leaves out:
                </Text>
                <NotTakenList list={imported.notTaken} />
              </Stack>
            )}
            <Group justify="flex-end" gap="xs">
              <Button size="xs" variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button size="xs" disabled={!imported} onClick={() => imported && take(imported)}>
                Replace the settings
              </Button>
            </Group>
          </>
        )}
      </Source>
    </div>
  )
}

const TEXT = {
  autosize: true,
  minRows: 3,
  maxRows: 12,
  spellCheck: false,
  styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } },
}

function CurlSource({ children }: SourceProps) {
  const [text, setText] = useState('')
  const parsed = text.trim() === '' ? undefined : parseCurl(text)
  return (
    <>
      <Textarea
        {...TEXT}
        label="curl command"
        autoFocus
        placeholder={"curl https://api.example.com/orders -H 'Authorization: Bearer …'"}
        value={text}
        error={parsed === null ? 'This is not a curl command.' : undefined}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {children(parsed ?? null)}
    </>
  )
}

function OpenApiSource({ children }: SourceProps) {
  const [text, setText] = useState('')
  // A file may be too large for a field to type in.
  const [file, setFile] = useState<{ name: string; text: string } | null>(null)
  const [wanted, setWanted] = useState<string | null>(null)
  const { api, problem } = useMemo(() => described(file?.text ?? text), [file, text])
  const operation = api && wanted ? findOperation(api, wanted) : null
  const imported = useMemo(() => (api && operation ? importOperation(api, operation) : null), [api, operation])
  const choose = (chosen: File | null) => {
    if (chosen) void chosen.text().then((content) => setFile({ name: chosen.name, text: content }))
  }
  return (
    <>
      {file ? (
        <Text size="sm">
          {file.name}
          {problem && (
            <Text span c="red">
              {' '}
              {problem}
            </Text>
          )}
        </Text>
      ) : (
        <Textarea
          {...TEXT}
          label="OpenAPI description"
          description="JSON or YAML; paste it, or choose a file"
          autoFocus
          placeholder={'openapi: 3.1.0\npaths:\n  …'}
          value={text}
          error={problem}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <FileButton accept=".json,.yaml,.yml,application/json,application/yaml" onChange={choose}>
        {(props) => (
          <Button {...props} size="xs" variant="default">
            Choose a file
          </Button>
        )}
      </FileButton>
      {api && (
        <Select
          label="Operation"
          placeholder={`${api.operations.length} operations`}
          searchable
          limit={50}
          data={api.operations.map(({ name, summary }) => ({
            value: name,
            label: summary ? `${name}: ${summary}` : name,
          }))}
          value={operation?.name ?? null}
          onChange={setWanted}
        />
      )}
      {children(imported)}
    </>
  )
}

function described(text: string): { api?: OpenApi; problem?: string } {
  if (text.trim() === '') return {}
  try {
    return { api: readOpenApi(text) }
  } catch (error) {
    if (error instanceof OpenApiError) return { problem: error.message }
    throw error
  }
}

function NotTakenList({ list }: { list: NotTaken[] }) {
  return (
    <dl className={classes.facts}>
      {list.map(({ what, reason }) => (
        <div key={`${what} ${reason}`} style={{ display: 'contents' }}>
          <dd>{what}</dd>
          <dt>{reason}</dt>
        </div>
      ))}
    </dl>
  )
}
