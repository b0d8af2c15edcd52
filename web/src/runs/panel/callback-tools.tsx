// For those who may edit: the URL of a callback, a new one in its place, and an answer in place of the one who should.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { parseJson } from '../../../../src/flow/json/parse-json.ts'
import { api } from '../../api/api-client.ts'
import type { Run, RunCallback } from '../../api/api-types.ts'
import { keys } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import { ConfirmPopover } from '../../ui/confirm-popover.tsx'
import { CopyLine } from '../../ui/copy-line.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { notifyDone } from '../../ui/notify.tsx'

interface CallbackToolsProps {
  run: Run
  callback: RunCallback
}

export function CallbackTools({ run, callback }: CallbackToolsProps) {
  const client = useQueryClient()
  const mayWrite = useMay('approvals')
  const [answering, setAnswering] = useState(false)
  const { url, kind, step } = callback
  if (!mayWrite) return null
  const isApproval = kind === 'approval'
  const at = `/runs/${run.id}/callbacks/${encodeURIComponent(step)}`
  const readAgain = () => client.invalidateQueries({ queryKey: keys.run(run.id), exact: true })
  const regenerate = async () => {
    await api.post(`${at}/regenerate`)
    await readAgain()
  }
  return (
    <>
      {url && <CopyLine value={url} label={isApproval ? 'Copy the link to the page' : 'Copy the callback URL'} />}
      <Group gap="xs">
        <ConfirmPopover
          title="Make a new URL?"
          confirm="Make a new URL"
          position="bottom-start"
          onConfirm={regenerate}
          target={(show) => (
            <Button variant="default" size="xs" leftSection={<IconRefresh size={14} />} onClick={show}>
              Regenerate URL
            </Button>
          )}
        >
          The old URL stops working immediately, and the run waits on. Give the new one to whoever should answer.
        </ConfirmPopover>
        {!isApproval && !answering && (
          <Button variant="default" size="xs" onClick={() => setAnswering(true)}>
            Answer by hand
          </Button>
        )}
      </Group>
      {answering && <AnswerByHand at={at} onAnswered={readAgain} onClose={() => setAnswering(false)} />}
      {!isApproval && (
        <Text size="xs" c="dimmed">
          What came in, also what did not count, is in{' '}
          <Anchor
            size="xs"
            renderRoot={(props) => <Link {...props} to="/flows/$id/inbox" params={{ id: run.flowId }} />}
          >
            the inbox of the flow
          </Anchor>
          .
        </Text>
      )}
    </>
  )
}

interface AnswerByHandProps {
  at: string
  onAnswered: () => Promise<unknown>
  onClose: () => void
}

function AnswerByHand({ at, onAnswered, onClose }: AnswerByHandProps) {
  const [text, setText] = useState('{}')
  const body = read(text)
  const answer = useMutation({
    mutationFn: (given: unknown) => api.post(`${at}/answer`, { body: given }),
    onSuccess: () => notifyDone('Answered by hand'),
    onSettled: onAnswered,
  })
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        The body, as JSON. The condition of the step is not asked, and the audit log says that it was you.
      </Text>
      <CodeEditor
        label="Body of the answer"
        mode="json"
        value={text}
        onChange={setText}
        minHeight={80}
        maxHeight={240}
      />
      {body === null && (
        <Text size="xs" c="var(--mr-bad)">
          Not valid JSON yet.
        </Text>
      )}
      {answer.isError && <ErrorNote title="The answer was not taken" error={answer.error} />}
      <Group gap="xs">
        <Button
          size="xs"
          disabled={body === null}
          loading={answer.isPending}
          onClick={() => body && answer.mutate(body.value)}
        >
          Answer
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          Not now
        </Button>
      </Group>
    </Stack>
  )
}

function read(text: string): { value: unknown } | null {
  try {
    return { value: parseJson(text) }
  } catch {
    return null
  }
}
