import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FlowTextError, parseFlowText } from '../../../src/flow/flow-text.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { CodeEditor } from '../ui/code/code-editor.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useFlowActions } from './use-flow-actions.ts'

const LARGEST_FILE = 5 * 1024 * 1024

export function ImportFlowPage() {
  const [text, setText] = useState('')
  const [fileError, setFileError] = useState<string | null>(null)
  const { create } = useFlowActions()
  const save = useMutation({ mutationFn: () => create(text) })
  const fault = text.trim() === '' ? null : faultOf(text)
  const read = async (file: File | null) => {
    if (!file) return
    save.reset()
    if (file.size > LARGEST_FILE) {
      setFileError(`${file.name} is larger than 5 MB; no flow is. Choose the flow's own file.`)
      return
    }
    setFileError(null)
    setText(await file.text())
  }
  return (
    <>
      <PageHeader
        title="Import a flow"
        crumbs={[{ label: 'Flows', to: '/flows' }]}
        actions={
          <Button
            loading={save.isPending}
            disabled={text.trim() === '' || fault !== null}
            onClick={() => save.mutate()}
          >
            Import as a draft
          </Button>
        }
      />
      <PageBody>
        <Stack gap="sm" maw={1000}>
          <Group justify="space-between">
            <Text c="dimmed">Paste the YAML or JSON of a flow, or choose its file. It becomes a new draft.</Text>
            <FileButton accept=".yaml,.yml,.json" onChange={read}>
              {(props) => (
                <Button variant="default" leftSection={<IconFileUpload size={15} />} {...props}>
                  Choose a file
                </Button>
              )}
            </FileButton>
          </Group>
          {fileError && <ErrorNote error={fileError} />}
          {save.isError && <ErrorNote title="The flow was not imported" error={save.error} />}
          <CodeEditor
            value={text}
            onChange={(value) => {
              save.reset()
              setText(value)
            }}
            mode="yaml"
            label="YAML or JSON of the flow"
            minHeight={360}
            maxHeight="calc(100vh - 220px)"
            autoFocus
          />
          {fault && (
            <Text size="sm" c="var(--mr-bad)" role="status">
              {fault}
            </Text>
          )}
        </Stack>
      </PageBody>
    </>
  )
}

/** What the text itself has wrong; what the flow has wrong the service says. */
function faultOf(text: string): string | null {
  try {
    parseFlowText(text)
    return null
  } catch (error) {
    if (!(error instanceof FlowTextError)) throw error
    const [said] = error.message.split('\n')
    return `The text has a fault: ${said!.replace(/:$/, '.')}`
  }
}
