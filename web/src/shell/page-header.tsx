import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import classes from './page-header.module.css'

export interface Crumb {
  label: string
  to: string
}

interface PageHeaderProps {
  /** The page itself, and its heading. */
  title: ReactNode
  /** What the window is called; needed where the title is not text. */
  windowTitle?: string
  crumbs?: Crumb[]
  status?: ReactNode
  actions?: ReactNode
}

export function PageHeader({ title, windowTitle, crumbs = [], status, actions }: PageHeaderProps) {
  useWindowTitle(windowTitle ?? (typeof title === 'string' ? title : 'Millrace'))
  return (
    <header className={classes.header}>
      <div className={classes.where}>
        {crumbs.length > 0 && (
          <nav aria-label="Breadcrumbs" className={classes.crumbs}>
            {crumbs.map(({ label, to }) => (
              <span key={to} className={classes.crumb}>
                <Link to={to}>{label}</Link>
                <span aria-hidden="true">/</span>
              </span>
            ))}
          </nav>
        )}
        <h1 className={classes.title} title={typeof title === 'string' ? title : undefined}>
          {title}
        </h1>
        {status && <div className={classes.status}>{status}</div>}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  )
}

export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = title === 'Millrace' ? title : `${title} · Millrace`
  }, [title])
}

/** The scrolling part below the header. Pages with panels of their own, such as the editor, do without it. */
export function PageBody({ children, narrow = false }: { children: ReactNode; narrow?: boolean }) {
  return (
    <div className={classes.body}>
      <div className={classes.inner} data-narrow={narrow || undefined}>
        {children}
      </div>
    </div>
  )
}
