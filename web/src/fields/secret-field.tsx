// A secret: best as a reference to a connection or env; typed literally it is encrypted when it is saved, and never comes back.
import { Button, Menu } from '@mantine/core'
import { IconLock, IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { SEALED_PREFIX } from '../../../src/base/sealed-prefix.ts'
import { useField, useFields } from './field-context.tsx'
import { FieldFrame } from './field-frame.tsx'
import classes from './fields.module.css'
import { TemplateInput } from './template-input.tsx'

interface SecretFieldProps {
  path: string
  label: string
  description?: string | undefined
  /** Fields of connections that fit, such as `token`. */
  fits?: string
  placeholder?: string
}

export function SecretField(props: SecretFieldProps) {
  const { path, label, description, fits, placeholder = '{{ connections.name.field }} or {{ env.NAME }}' } = props
  const { value, set, issues, readOnly } = useField(path)
  const [typed, setTyped] = useState<string | null>(null)
  const [replacing, setReplacing] = useState(false)
  const saved = typeof value === 'string' ? value : ''
  const isSealed = saved.startsWith(SEALED_PREFIX)
  if (isSealed && !replacing)
    return (
      <FieldFrame label={label} description={description} issues={issues}>
        <div className={classes.sealed}>
          <span>
            <IconLock size={13} style={{ verticalAlign: '-2px', marginRight: 6 }} aria-hidden="true" />
            Stored encrypted
          </span>
          {!readOnly && (
            <Button
              size="xs"
              variant="subtle"
              onClick={() => {
                setTyped('')
                setReplacing(true)
              }}
            >
              Replace
            </Button>
          )}
        </div>
      </FieldFrame>
    )
  const text = typed ?? saved
  const isTemplate = text.includes('{{')
  // Of what is being typed nothing has been said yet.
  const said = text === saved ? issues : []
  return (
    <FieldFrame label={label} description={description} issues={said}>
      <TemplateInput
        path={path}
        value={text}
        label={label}
        placeholder={placeholder}
        readOnly={readOnly}
        quiet
        invalid={said.some(({ warning }) => !warning)}
        // A literal is taken when it is complete: saved half-typed it would be sealed under the typing hand.
        onChange={(now) => {
          setTyped(now)
          if (now.includes('{{') || now === '') set(now)
        }}
        onBlur={(now) => {
          setTyped(null)
          setReplacing(false)
          if (now !== saved && !(isSealed && now === '')) set(now)
        }}
      />
      {!readOnly && !isTemplate && <SecretChoices fits={fits} onPick={(reference) => set(`{{ ${reference} }}`)} />}
    </FieldFrame>
  )
}

/** References that fit, one click away. */
function SecretChoices({ fits, onPick }: { fits: string | undefined; onPick: (reference: string) => void }) {
  const { data } = useFields()
  const connections = data.connections.flatMap(({ name, fields }) =>
    fields.filter((field) => fits === undefined || field === fits).map((field) => `connections.${name}.${field}`),
  )
  const choices = [...connections, ...data.env.map((name) => `env.${name}`)]
  if (choices.length === 0) return null
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconPlugConnected size={14} />}
          style={{ alignSelf: 'flex-start' }}
        >
          Use a connection or variable
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflow: 'auto' }}>
        {choices.map((reference) => (
          <Menu.Item key={reference} onClick={() => onPick(reference)} ff="monospace">
            {reference}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
