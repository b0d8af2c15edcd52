// What the command palette offers in the editor: what the header does, and every step by its id, name and kind.
import {
  IconCode,
  IconLifebuoy,
  IconListDetails,
  IconPlayerPlay,
  IconRocket,
  IconStack2,
  IconWebhook,
} from '@tabler/icons-react'
import { useMemo } from 'react'
import { describeStep } from '../flow-model/describe-step.ts'
import { allSteps, stepKeys } from '../flow-model/flow-tree.ts'
import { type Command, usePageCommands } from '../shell/commands.ts'
import { stepKind } from '../step-kinds/index.ts'
import { useEditor } from './state/editor-context.tsx'

export function useEditorCommands(): void {
  const { document, open, search, selected, tests, readOnly } = useEditor()
  const { view } = search
  const { testFlow, testStep } = tests
  const step = selected?.step.id
  usePageCommands(
    useMemo(() => {
      const shown = view ? { view } : {}
      const commands: Command[] = [
        {
          id: 'view',
          label: view ? 'Show the canvas' : 'Show as YAML',
          keywords: 'yaml canvas text code view',
          icon: view ? IconListDetails : IconCode,
          run: () => open(view ? {} : { view: 'yaml' }),
        },
        {
          id: 'failure',
          label: 'Open “When a run fails”',
          keywords: 'onFailure failure handler error',
          icon: IconLifebuoy,
          run: () => open({ failure: true, ...shown }),
        },
        { id: 'trigger', label: 'Open the trigger', icon: IconWebhook, run: () => open({ trigger: true, ...shown }) },
        {
          id: 'publish',
          label: readOnly ? 'Show the versions' : 'Publish…',
          keywords: 'versions live',
          icon: IconRocket,
          run: () => open({ publish: true, ...shown }),
        },
      ]
      if (!readOnly)
        commands.unshift({ id: 'test', label: 'Test flow', icon: IconPlayerPlay, run: () => void testFlow() })
      if (!readOnly && step)
        commands.unshift({
          id: 'test-step',
          label: `Test step ${step}`,
          icon: IconPlayerPlay,
          run: () => void testStep(step),
        })
      const keys = stepKeys(document)
      for (const place of allSteps(document))
        commands.push({
          id: `step ${place.path}`,
          group: 'steps',
          label: place.step.id || place.step.kind,
          description: [place.step.name, describeStep(place.step)].filter(Boolean).join(' · '),
          keywords: `step ${place.step.kind} ${stepKind(place.step.kind).purpose}`,
          icon: IconStack2,
          run: () => open({ step: keys.get(place.path)!, ...shown }),
        })
      return commands
    }, [document, open, view, testFlow, testStep, step, readOnly]),
  )
}
