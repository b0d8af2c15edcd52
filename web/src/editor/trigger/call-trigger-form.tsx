// The trigger of a flow that is called: what it takes, who may call it, and the input of its tests.
import { Text } from '@mantine/core'
import { useState } from 'react'
import { PlainNumberField, SwitchField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import panel from '../panel/panel.module.css'
import { Section } from '../panel/section.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { LabelsSection } from './labels-section.tsx'

export function CallTriggerForm() {
  const { trigger } = useEditor().document
  return (
    <>
      <Text size="sm">
        Another flow starts this one, or a request of the API, a command, an assistant, or “Run now” on the tab Runs.
      </Text>
      <TestInput />
      <hr className={panel.divider} />
      <div className={panel.sections}>
        <Section
          title="What it takes"
          summary={trigger['input'] === undefined ? 'any JSON' : 'by a schema'}
          open
          holds={['/trigger/input']}
        >
          <InputSchema />
        </Section>
        <Section
          title="Who may call it"
          summary={trigger['mcp'] === true ? 'assistants too' : 'flows and the API'}
          holds={['/trigger/mcp']}
        >
          <SwitchField
            path="/trigger/mcp"
            label="Offer it to assistants"
            description="They get the flow as a tool of its own, named by its slug and described by its description."
            standard={false}
          />
        </Section>
        <Section
          title="Limits"
          summary={typeof trigger['concurrency'] === 'number' ? `${trigger['concurrency']} at once` : 'none'}
          holds={['/trigger/concurrency']}
        >
          <PlainNumberField
            path="/trigger/concurrency"
            label="Parallel runs"
            description="the others wait in line"
            placeholder="no limit"
          />
        </Section>
        <LabelsSection example="{{ input.order }}" />
      </div>
    </>
  )
}

function TestInput() {
  const { testInput } = useEditor()
  return (
    <FieldFrame label="Input of tests" description="JSON that Test flow and Test step begin with">
      <CodeEditor
        value={testInput.text}
        onChange={testInput.setText}
        mode="json"
        label="Input of tests"
        minHeight={60}
        maxHeight={260}
        lineNumbers={false}
      />
      {testInput.problem !== null && (
        <Text size="xs" c="var(--mr-bad)">
          {testInput.problem}
        </Text>
      )}
    </FieldFrame>
  )
}

/** The schema is saved whenever what is typed is JSON. */
function InputSchema() {
  const { value, set, readOnly, issues } = useField('/trigger/input')
  const [typed, setTyped] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const change = (text: string) => {
    setTyped(text)
    try {
      set(text.trim() === '' ? undefined : JSON.parse(text))
      setProblem(null)
    } catch (error) {
      setProblem(`Not saved, because this is not JSON: ${(error as Error).message}`)
    }
  }
  return (
    <FieldFrame label="JSON Schema" description="empty: any input is taken" issues={issues}>
      <CodeEditor
        value={typed ?? (value === undefined ? '' : JSON.stringify(value, null, 2))}
        onChange={change}
        onBlur={() => problem === null && setTyped(null)}
        mode="json"
        label="JSON Schema of the input"
        minHeight={120}
        maxHeight={360}
        readOnly={readOnly}
      />
      {problem !== null && (
        <Text size="xs" c="var(--mr-bad)">
          {problem}
        </Text>
      )}
    </FieldFrame>
  )
}
