import { DataTree } from '../../ui/data/data-tree.tsx'
import classes from './panel.module.css'

/** Stands where the data of a run would be. */
export const DATA_DELETED = 'Data was deleted with the end of the run, as the flow says.'

interface DataProps {
  value: unknown
  path: string
  label: string
  none: string
}

export function Data({ value, path, label, none }: DataProps) {
  if (value === null || value === undefined) return <p className={classes.none}>{none}</p>
  return <DataTree key={label} value={value} path={path} label={label} />
}
