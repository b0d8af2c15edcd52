// Changes the tags of a flow, in its draft.
import { Button, Group, Modal, Stack, TagsInput, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FlowSummary } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { tagCounts } from './flow-list.ts'
import { useFlowActions } from './use-flow-actions.ts'

const MOST_TAGS = 20
const LONGEST_TAG = 40
const MOST_OFFERED = 16

export function TagsDialog({ flow, onClose }: { flow: FlowSummary; onClose: () => void }) {
  const { setTags } = useFlowActions()
  const [tags, set] = useState(flow.tags)
  const known = tagCounts(useQuery(queries.flows).data ?? [])
    .map(({ tag }) => tag)
    .filter((tag) => !tags.includes(tag))
    .slice(0, MOST_OFFERED)
  const save = useMutation({ mutationFn: () => setTags(flow, tags), onSuccess: onClose })
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Tags of ${flow.name}`}
      size="sm"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack gap="md">
          <TagsInput
            label="Tags"
            description={`Press Enter after each. Up to ${MOST_TAGS}, each with up to ${LONGEST_TAG} characters.`}
            value={tags}
            onChange={(given) =>
              set([...new Set(given.map((tag) => tag.trim().slice(0, LONGEST_TAG)).filter((tag) => tag !== ''))])
            }
            maxTags={MOST_TAGS}
            data-autofocus
          />
          {known.length > 0 && tags.length < MOST_TAGS && (
            <Group gap={4}>
              <Text size="xs" c="dimmed">
                On other flows:
              </Text>
              {known.map((tag) => (
                <Button
                  key={tag}
                  size="compact-xs"
                  variant="default"
                  aria-label={`Add ${tag}`}
                  onClick={() => set([...tags, tag])}
                >
                  {tag}
                </Button>
              ))}
            </Group>
          )}
          {save.isError && <ErrorNote title="The tags were not saved" error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save tags
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
