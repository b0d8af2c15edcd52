// "Waiting for you": what runs ask of people, and the answers.
import { Anchor, Button, Skeleton } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Approval } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Markdown } from '../ui/text/markdown.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { AnswerForm } from './answer-form.tsx'
import classes from './approvals.module.css'
import { TimeLeft } from './time-left.tsx'
import { useLiveApprovals } from './use-live-approvals.ts'

export function ApprovalsPage() {
  const approvals = useInfiniteQuery(queries.approvals)
  const items = approvals.data?.pages.flatMap((page) => page.items) ?? []
  const list = useRef<HTMLDivElement>(null)
  useLiveApprovals(items)
  return (
    <>
      <PageHeader title="Waiting for you" />
      <PageBody narrow={items.length > 0}>
        {approvals.isPending && <Skeleton height={180} />}
        {approvals.isError && (
          <ErrorNote
            title="The approvals could not be loaded"
            error={approvals.error}
            onRetry={() => void approvals.refetch({ cancelRefetch: true })}
          />
        )}
        {approvals.data && items.length === 0 && (
          <EmptyState
            picture={<IconCircleCheck size={40} stroke={1.2} />}
            title="Nothing waits for you"
            guide="waiting"
          >
            When a run comes to a step that waits for an approval, its question is shown here.
          </EmptyState>
        )}
        {items.length > 0 && (
          <div ref={list} className={classes.list} tabIndex={-1}>
            {items.map((approval) => (
              // The buttons go with the question: whoever uses the keyboard goes on from the list.
              <Question key={approval.id} approval={approval} onAnswered={() => list.current?.focus()} />
            ))}
          </div>
        )}
        {approvals.hasNextPage && (
          <Button
            variant="default"
            mt="md"
            loading={approvals.isFetchingNextPage}
            onClick={() => void approvals.fetchNextPage()}
          >
            Show more
          </Button>
        )}
      </PageBody>
    </>
  )
}

function Question({ approval, onAnswered }: { approval: Approval; onAnswered: () => void }) {
  const { id, title, text, flow, run, step, createdAt, expiresAt } = approval
  return (
    <article className={classes.question} aria-labelledby={id}>
      <h2 id={id} className={classes.title}>
        {title}
      </h2>
      <div className={classes.facts}>
        <Anchor
          size="xs"
          renderRoot={(props) => <Link {...props} to="/runs/$id" params={{ id: run }} search={{ step }} />}
        >
          {flow.name}
        </Anchor>
        <span>
          asked <RelativeTime at={createdAt} />
        </span>
        <TimeLeft until={expiresAt} />
      </div>
      {text && <Markdown text={text} />}
      <AnswerForm approval={approval} onAnswered={onAnswered} />
    </article>
  )
}
