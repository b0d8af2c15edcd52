// Data as a table, and as the list of its fields.
import { Button, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { plural } from '../format.ts'
import { schemaRows, type TableData } from './data-shape.ts'
import classes from './data-shape-views.module.css'

const PAGE = 100
const LONGEST = 120

export function DataTable({ table, label }: { table: TableData; label: string }) {
  const [shown, setShown] = useState(PAGE)
  const { path, columns, rows } = table
  return (
    <>
      <Text size="xs" c="dimmed" mb={4}>
        {path}, {plural(rows.length, 'row')}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <section className={classes.frame} aria-label={label} tabIndex={0}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">#</th>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row of data has nothing else that names it
              <tr key={index}>
                <td className={classes.dim}>{index}</td>
                {columns.map((column) => (
                  <td key={column}>{Object.hasOwn(row, column) ? cellOf(row[column]) : ''}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > shown && (
        <Button size="xs" variant="subtle" mt={4} onClick={() => setShown(shown + PAGE)}>
          Show {Math.min(PAGE, rows.length - shown)} more
        </Button>
      )}
    </>
  )
}

function cellOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

export function DataSchema({ value, path, label }: { value: unknown; path: string; label: string }) {
  const rows = useMemo(() => schemaRows(value, path), [value, path])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section className={classes.frame} aria-label={label} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type</th>
            <th scope="col">Example</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, depth, name, type, optional, example }) => (
            <tr key={id}>
              <td style={{ paddingLeft: 8 + depth * 14 }}>{name}</td>
              <td className={classes.dim}>
                {type}
                {optional && ', not always there'}
              </td>
              <td>{example}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
