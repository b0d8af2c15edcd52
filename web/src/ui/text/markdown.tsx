// Markdown that people wrote: made of elements, and without pictures, which would be fetched from other hosts. HTML in it stays text.
import { lazy, Suspense } from 'react'
import classes from './markdown.module.css'

const Renderer = lazy(() => import('react-markdown'))

const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i

export function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.text}>
      <Suspense fallback={<p className={classes.plain}>{text}</p>}>
        <Renderer
          disallowedElements={['img']}
          urlTransform={(url) => (SAFE_LINK.test(url) ? url : '')}
          components={{
            a: ({ href, children }) =>
              href ? (
                <a href={href} target="_blank" rel="noopener noreferrer">
                  {children}
                </a>
              ) : (
                <span>{children}</span>
              ),
            // The page has headings of its own.
            h1: ({ children }) => <h3>{children}</h3>,
            h2: ({ children }) => <h4>{children}</h4>,
            h3: ({ children }) => <h5>{children}</h5>,
          }}
        >
          {text}
        </Renderer>
      </Suspense>
    </div>
  )
}
