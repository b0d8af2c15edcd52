// Takes the credentials of a step from a connection, or makes one in place.
import { Button, Group, Select } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Connection, ConnectionKind } from '../../api/api-types.ts'
import { useMay } from '../../api/session.ts'
import { hasTls } from '../../connections/connection-draft.ts'
import { kindInfo } from '../../connections/connection-kinds.ts'
import { NewConnection } from '../../connections/new-connection.tsx'
import { useFields } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import panel from '../panel/panel.module.css'

interface ConnectionChoiceProps {
  /** Those that fit. */
  kinds: readonly ConnectionKind[]
  /** The connection that is named now, if one is. */
  chosen: string | null
  onChoose: (connection: Connection) => void
  issues?: Parameters<typeof FieldFrame>[0]['issues']
  label?: string
  description?: string
  /** Given: naming none is a choice. */
  onClear?: () => void
}

export function ConnectionChoice(props: ConnectionChoiceProps) {
  const { kinds, chosen, onChoose, issues = [], label = 'Connection', description, onClear } = props
  const { connections, readOnly } = useFields()
  const mayCreate = useMay('connections:write') && !readOnly
  const [creating, setCreating] = useState(false)
  const wantsTls = kinds.length === 1 && kinds[0] === 'tls'
  const fits = (connection: Connection) => (wantsTls ? hasTls(connection) : kinds.includes(connection.kind))
  const fitting = connections.filter(fits)
  const options = fitting.map(({ name, kind }) => ({
    value: name,
    label: kinds.length > 1 ? `${name} (${kindInfo(kind).label})` : name,
  }))
  const isListed = chosen === null || fitting.some(({ name }) => name === chosen)
  if (creating)
    return (
      <div className={panel.case}>
        <NewConnection
          kinds={kinds}
          onCancel={() => setCreating(false)}
          onCreated={(connection) => {
            setCreating(false)
            onChoose(connection)
          }}
        />
      </div>
    )
  return (
    <FieldFrame label={label} {...(description !== undefined && { description })} issues={issues}>
      <Group gap={6} wrap="nowrap">
        <Select
          aria-label={label}
          style={{ flex: 1 }}
          data={isListed ? options : [{ value: chosen, label: chosen }, ...options]}
          value={chosen}
          placeholder={options.length ? 'Take it from a connection' : 'No connection of this kind yet'}
          disabled={readOnly || options.length === 0}
          clearable={onClear !== undefined}
          onChange={(name) => {
            if (name === null) onClear?.()
            const connection = fitting.find((one) => one.name === name)
            if (connection) onChoose(connection)
          }}
          comboboxProps={{ withinPortal: true }}
        />
        {mayCreate && (
          <Button
            variant="default"
            // A form may have several of these.
            aria-label={`New: ${label}`}
            leftSection={<IconPlus size={14} />}
            onClick={() => setCreating(true)}
          >
            New
          </Button>
        )}
      </Group>
    </FieldFrame>
  )
}
