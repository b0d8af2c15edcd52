// The choices of a replay as items of a menu: the version it runs on.
import { Menu } from '@mantine/core'
import type { RunSummary } from '../../api/api-types.ts'
import type { Replay } from './use-run-actions.ts'

interface ReplayItemsProps {
  run: RunSummary
  /** Only from this step on. */
  from?: { path: string; label: string }
  onReplay: (replay: Replay) => void
}

export function ReplayItems({ run, from, onReplay }: ReplayItemsProps) {
  const replay = (version: Replay['version']) => () =>
    onReplay({ id: run.id, version, ...(from ? { from: from.path } : {}) })
  const same = run.version === null ? 'the draft as it was' : `version ${run.version}, as before`
  return (
    <>
      <Menu.Label>{from ? `Replay from ${from.label}` : 'Replay the whole run'}</Menu.Label>
      <Menu.Item onClick={replay('same')}>On {same}</Menu.Item>
      <Menu.Item onClick={replay('published')}>On the published version</Menu.Item>
      <Menu.Item onClick={replay('draft')}>On the draft</Menu.Item>
    </>
  )
}
