// A condition as rows of field, operator and value. The expression below stays what counts: rows are read from it and written to it.
import { ActionIcon, Autocomplete, Button, Select, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import {
  type ConditionRow,
  type ConditionRows,
  isComplete,
  needsValue,
  type Operator,
  printCondition,
  type RowValue,
  readCondition,
} from '../flow-model/templates/condition-rows.ts'
import classes from './condition-builder.module.css'
import { usePickData } from './pick-list.tsx'
import { leafPaths } from './pick-rows.ts'

const OPERATORS: { value: Operator; label: string }[] = [
  { value: '==', label: 'is' },
  { value: '!=', label: 'is not' },
  { value: '===', label: 'is exactly' },
  { value: '!==', label: 'is not exactly' },
  { value: '>', label: 'is greater than' },
  { value: '>=', label: 'is at least' },
  { value: '<', label: 'is less than' },
  { value: '<=', label: 'is at most' },
  { value: 'includes', label: 'contains' },
  { value: 'not includes', label: 'does not contain' },
  { value: 'startsWith', label: 'starts with' },
  { value: 'not startsWith', label: 'does not start with' },
  { value: 'endsWith', label: 'ends with' },
  { value: 'not endsWith', label: 'does not end with' },
  { value: 'exists', label: 'exists' },
  { value: 'isMissing', label: 'does not exist' },
  { value: 'isTrue', label: 'is true' },
  { value: 'isNotTrue', label: 'is not true' },
]

const KINDS: { value: RowValue['kind']; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes/no' },
  { value: 'data', label: 'Data' },
]

const NEW_ROW: ConditionRow = { field: '', operator: '==', value: { kind: 'text', value: '' } }

interface ConditionBuilderProps {
  path: string
  /** What the condition is called. */
  label: string
  text: string
  onChange: (text: string) => void
}

export function ConditionBuilder({ path, label, text, onChange }: ConditionBuilderProps) {
  const read = useMemo(() => readText(text), [text])
  /** Rows that do not make an expression yet stand here, until they do or the expression is changed elsewhere. */
  const [unfinished, setUnfinished] = useState<{ of: string; rows: ConditionRows } | null>(null)
  const { roots } = usePickData(path)
  const suggestions = useMemo(() => leafPaths(roots), [roots])
  if ('reason' in read)
    return (
      <Text size="xs" c="dimmed" data-condition-reason>
        {read.reason}, so it is edited as an expression.
      </Text>
    )
  const { join, rows } = unfinished?.of === text ? unfinished.rows : read.rows
  const take = (next: ConditionRows) => {
    if (next.rows.length === 0) {
      setUnfinished(null)
      onChange('')
    } else if (isComplete(next)) {
      setUnfinished(null)
      onChange(printCondition(next))
    } else setUnfinished({ of: text, rows: next })
  }
  const change = (index: number, row: ConditionRow) => take({ join, rows: rows.with(index, row) })
  return (
    <fieldset className={classes.rows}>
      <legend className={classes.legend}>Rows of {label}</legend>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing else that names it
        <div key={index} className={classes.row}>
          {index === 1 ? (
            <Select
              size="xs"
              className={classes.join}
              aria-label={`How the rows of ${label} are joined`}
              data={[
                { value: 'and', label: 'and' },
                { value: 'or', label: 'or' },
              ]}
              value={join}
              allowDeselect={false}
              onChange={(chosen) => take({ join: chosen as ConditionRows['join'], rows })}
            />
          ) : (
            <span className={classes.word}>{index === 0 ? 'if' : join}</span>
          )}
          <Row
            row={row}
            name={`row ${index + 1} of ${label}`}
            suggestions={suggestions}
            onChange={(changed) => change(index, changed)}
          />
          <ActionIcon
            size="sm"
            aria-label={`Remove row ${index + 1} of ${label}`}
            onClick={() => take({ join, rows: rows.toSpliced(index, 1) })}
          >
            <IconTrash size={14} />
          </ActionIcon>
        </div>
      ))}
      <div className={classes.foot}>
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconPlus size={13} />}
          onClick={() => setUnfinished({ of: text, rows: { join, rows: [...rows, NEW_ROW] } })}
        >
          Add row
        </Button>
        {unfinished?.of === text && (
          <Text size="xs" c="dimmed" role="status">
            Not part of the condition until every row has a field and a value.
          </Text>
        )}
      </div>
    </fieldset>
  )
}

/** A condition that is still empty begins with an empty row. */
function readText(text: string): ReturnType<typeof readCondition> {
  if (/^\s*(?:\{\{\s*\}\})?\s*$/.test(text)) return { rows: { join: 'and', rows: [NEW_ROW] } }
  return readCondition(text)
}

interface RowProps {
  row: ConditionRow
  name: string
  suggestions: string[]
  onChange: (row: ConditionRow) => void
}

function Row({ row: { field, operator, value }, name, suggestions, onChange }: RowProps) {
  const chooseOperator = (chosen: Operator) =>
    onChange({ field, operator: chosen, value: needsValue(chosen) ? (value ?? NEW_ROW.value) : null })
  return (
    <div className={classes.parts}>
      <Autocomplete
        size="xs"
        className={classes.field}
        aria-label={`Field in ${name}`}
        placeholder="webhook.body.total"
        data={suggestions}
        limit={50}
        value={field}
        comboboxProps={{ withinPortal: true, width: 320, position: 'bottom-start' }}
        onChange={(typed) => onChange({ field: typed, operator, value })}
      />
      <Select
        size="xs"
        className={classes.operator}
        aria-label={`Operator in ${name}`}
        data={OPERATORS}
        value={operator}
        allowDeselect={false}
        maxDropdownHeight={320}
        comboboxProps={{ withinPortal: true, width: 180 }}
        onChange={(chosen) => chooseOperator(chosen as Operator)}
      />
      {needsValue(operator) && (
        <ValueInput
          name={name}
          suggestions={suggestions}
          value={value ?? NEW_ROW.value!}
          onChange={(changed) => onChange({ field, operator, value: changed })}
        />
      )}
    </div>
  )
}

interface ValueInputProps {
  name: string
  suggestions: string[]
  value: RowValue
  onChange: (value: RowValue) => void
}

function ValueInput({ name, suggestions, value, onChange }: ValueInputProps) {
  const label = `Value in ${name}`
  /** What is typed on the way to a number, such as `-` or `1.`. */
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <>
      {value.kind === 'boolean' ? (
        <Select
          size="xs"
          className={classes.value}
          aria-label={label}
          data={['true', 'false']}
          value={String(value.value)}
          allowDeselect={false}
          onChange={(chosen) => onChange({ kind: 'boolean', value: chosen === 'true' })}
        />
      ) : value.kind === 'data' ? (
        <Autocomplete
          size="xs"
          className={classes.value}
          aria-label={label}
          placeholder="vars.limit"
          data={suggestions}
          limit={50}
          value={value.value}
          comboboxProps={{ withinPortal: true, width: 320 }}
          onChange={(chosen) => onChange({ kind: 'data', value: chosen })}
        />
      ) : (
        <TextInput
          size="xs"
          className={classes.value}
          aria-label={label}
          inputMode={value.kind === 'number' ? 'decimal' : undefined}
          value={typed ?? String(value.value)}
          error={typed !== null && numberOf(typed) === null}
          onBlur={() => setTyped(null)}
          onChange={({ currentTarget }) => {
            if (value.kind === 'text') onChange({ kind: 'text', value: currentTarget.value })
            else {
              setTyped(currentTarget.value)
              const number = numberOf(currentTarget.value)
              if (number !== null) onChange({ kind: 'number', value: number })
            }
          }}
        />
      )}
      <Select
        size="xs"
        className={classes.kind}
        aria-label={`Type of the value in ${name}`}
        data={KINDS}
        value={value.kind}
        allowDeselect={false}
        comboboxProps={{ withinPortal: true, width: 110 }}
        onChange={(kind) => {
          setTyped(null)
          onChange(valueAs(kind as RowValue['kind'], value))
        }}
      />
    </>
  )
}

function numberOf(text: string): number | null {
  return /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : null
}

/** What was typed stays, where it can be of the other type. */
function valueAs(kind: RowValue['kind'], { value }: RowValue): RowValue {
  const text = String(value)
  if (kind === 'number') return { kind, value: numberOf(text) ?? 0 }
  if (kind === 'boolean') return { kind, value: text === 'true' }
  return { kind, value: text }
}
