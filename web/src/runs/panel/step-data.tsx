import { DataTree } from '../../ui/data/data-tree.tsx'
import classes from './panel.module.css'

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
