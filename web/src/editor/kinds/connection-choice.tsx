// Takes the credentials of a step from a connection, or makes one in place.
import { Button, Group, Select } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Connection, ConnectionKind } from '../../api/api-types.ts'
import { useMay } from '../../api/session.ts'
import { NewConnection } from '../../connections/new-connection.tsx'
import { useFields } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import panel from '../panel/panel.module.css'

interface ConnectionChoiceProps {
  kind: ConnectionKind
  /** The connection that is named now, if one is. */
  chosen: string | null
  onChoose: (connection: Connection) => void
  issues?: Parameters<typeof FieldFrame>[0]['issues']
}

export function ConnectionChoice({ kind, chosen, onChoose, issues = [] }: ConnectionChoiceProps) {
  const { connections, readOnly } = useFields()
  const mayCreate = useMay('connections:write') && !readOnly
  const [creating, setCreating] = useState(false)
  const fitting = connections.filter((connection) => connection.kind === kind)
  const names = fitting.map(({ name }) => name)
  if (creating)
    return (
      <div className={panel.case}>
        <NewConnection
          kind={kind}
          onCancel={() => setCreating(false)}
          onCreated={(connection) => {
            setCreating(false)
            onChoose(connection)
          }}
        />
      </div>
    )
  return (
    <FieldFrame label="Connection" issues={issues}>
      <Group gap={6} wrap="nowrap">
        <Select
          aria-label="Connection"
          style={{ flex: 1 }}
          data={chosen && !names.includes(chosen) ? [chosen, ...names] : names}
          value={chosen}
          placeholder={names.length ? 'Take it from a connection' : 'No connection of this kind yet'}
          disabled={readOnly || names.length === 0}
          onChange={(name) => {
            const connection = fitting.find((one) => one.name === name)
            if (connection) onChoose(connection)
          }}
          comboboxProps={{ withinPortal: true }}
        />
        {mayCreate && (
          <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
            New
          </Button>
        )}
      </Group>
    </FieldFrame>
  )
}
