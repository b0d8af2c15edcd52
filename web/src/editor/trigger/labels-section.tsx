// The labels of a trigger: by what people know, such as the number of an order, its runs are found.
import { Text } from '@mantine/core'
import { NamedValues } from '../../fields/named-values.tsx'
import { TemplateField } from '../../fields/template-field.tsx'
import { plural } from '../../ui/format.ts'
import { Section } from '../panel/section.tsx'
import { useEditor } from '../state/editor-context.tsx'

const MOST_LABELS = 10

/** `example`: a template of a value, for this kind of trigger. */
export function LabelsSection({ example }: { example: string }) {
  const { labels } = useEditor().document.trigger
  const count = typeof labels === 'object' && labels !== null ? Object.keys(labels).length : 0
  return (
    <Section title="Labels" summary={count === 0 ? 'none' : plural(count, 'label')} holds={['/trigger/labels']}>
      <Text size="xs" c="dimmed">
        Runs are listed with their labels and found by them: order=7. At most {MOST_LABELS}; values are cut to 200
        characters, and one that is missing is left out. They may hold no secrets.
      </Text>
      <NamedValues
        path="/trigger/labels"
        noun="label"
        newName="label"
        most={MOST_LABELS}
        optional
        value={(name, at) => (
          <TemplateField bare mode="optional" path={at} label={`Value of ${name}`} placeholder={example} />
        )}
      />
    </Section>
  )
}
