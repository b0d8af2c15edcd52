import { SegmentedControl } from '@mantine/core'
import { TagsField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { XML_LISTS } from '../incoming/xml-lists.ts'

/** How the reply is read. */
export function HttpReply({ path }: { path: string }) {
  const { value, set, readOnly, issues } = useField(path)
  const as = (value as { as?: string } | undefined)?.as ?? 'type'
  return (
    <>
      <FieldFrame
        label="Read the reply"
        description={as === 'file' ? 'the body of the result is the file' : 'XML stays text by its type'}
        issues={issues}
      >
        <SegmentedControl
          aria-label="Read the reply"
          size="xs"
          data={[
            { value: 'type', label: 'By its type' },
            { value: 'xml', label: 'As XML' },
            { value: 'file', label: 'As a file' },
          ]}
          value={as}
          onChange={(chosen) => set(chosen === 'type' ? undefined : { as: chosen })}
          disabled={readOnly}
          style={{ alignSelf: 'flex-start' }}
        />
      </FieldFrame>
      {as === 'xml' && <TagsField path={`${path}/lists`} {...XML_LISTS} />}
    </>
  )
}
