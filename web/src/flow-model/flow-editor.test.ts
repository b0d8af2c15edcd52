import { describe, expect, it } from 'vitest'
import { adoptSealed } from './adopt-sealed.ts'
import { FlowEditor, type SavedFlow } from './flow-editor.ts'
import { type EditedFlow, withValue } from './flow-tree.ts'
import { sampleFlow } from './sample-flow.testkit.ts'

class Conflict extends Error {}
class Passing extends Error {}

/** A service that holds one draft, answers when it is told to, and seals what is called a token. */
function world() {
  const server: SavedFlow = { draft: sampleFlow(), revision: 1 }
  const waiting: (() => void)[] = []
  const timers: (() => void)[] = []
  let fault: Error | null = null
  let now = 0
  const editor = new FlowEditor(
    { ...server },
    {
      save: async (document, revision) => {
        await new Promise<void>((resolve) => waiting.push(resolve))
        if (fault) throw fault
        if (revision !== server.revision) throw new Conflict()
        server.draft = sealed(document)
        server.revision++
        return { draft: server.draft, revision: server.revision }
      },
      isConflict: (error) => error instanceof Conflict,
      mayPass: (error) => error instanceof Passing,
      load: () => Promise.resolve({ ...server }),
      delay: (callback) => {
        timers.push(callback)
        return () => void timers.splice(timers.indexOf(callback), 1)
      },
      now: () => ++now * 10_000,
    },
  )
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    editor,
    server,
    timers,
    fail: (error: Error | null) => {
      fault = error
    },
    /** Lets the pause after an edit end. */
    pause: async () => {
      for (const timer of timers.splice(0)) timer()
      await settle()
    },
    /** Lets the service answer. */
    answer: async () => {
      waiting.shift()?.()
      await settle()
    },
  }
}

function sealed(document: EditedFlow): EditedFlow {
  return JSON.parse(JSON.stringify(document), (key, value) => (key === 'token' ? `sealed:${value.length}` : value))
}

const named = (editor: FlowEditor, name: string) => editor.edit({ ...editor.state.document, name }, { label: name })

describe('saving', () => {
  it('waits for a pause, then saves once, with the revision it is based on', async () => {
    const { editor, server, timers, pause, answer } = world()
    named(editor, 'a')
    named(editor, 'ab')
    expect(editor.state.saving.status).toBe('unsaved')
    expect(timers).toHaveLength(1)
    await pause()
    expect(editor.state.saving.status).toBe('saving')
    await answer()
    expect([editor.state.saving.status, server.draft.name, server.revision]).toEqual(['saved', 'ab', 2])
  })

  it('saves what was edited during a save afterwards, on the new revision', async () => {
    const { editor, server, pause, answer } = world()
    named(editor, 'a')
    await pause()
    named(editor, 'b')
    await answer()
    expect([editor.state.saving.status, server.draft.name]).toEqual(['unsaved', 'a'])
    await pause()
    await answer()
    expect([editor.state.saving.status, server.draft.name, server.revision]).toEqual(['saved', 'b', 3])
  })

  it('saves again what was undone during a save', async () => {
    const { editor, server, pause, answer } = world()
    const { name } = server.draft
    named(editor, 'a')
    await pause()
    editor.undo()
    await answer()
    expect([editor.state.saving.status, server.draft.name]).toEqual(['unsaved', 'a'])
    await pause()
    await answer()
    expect([editor.state.saving.status, server.draft.name]).toEqual(['saved', name])
  })

  it('has nothing to save once an edit is undone', async () => {
    const { editor, timers } = world()
    named(editor, 'a')
    editor.undo()
    expect([editor.state.saving.status, timers.length]).toEqual(['saved', 0])
    editor.redo()
    expect([editor.state.document.name, editor.state.saving.status]).toEqual(['a', 'unsaved'])
  })

  it('says why it failed, and tries again with the next edit', async () => {
    const { editor, pause, answer, fail } = world()
    fail(new Error('no network'))
    named(editor, 'a')
    await pause()
    await answer()
    expect(editor.state.saving).toMatchObject({ status: 'failed', error: { message: 'no network' } })
    fail(null)
    named(editor, 'b')
    await pause()
    await answer()
    expect(editor.state.saving.status).toBe('saved')
  })

  it('tries again by itself where that may help', async () => {
    const { editor, pause, answer, fail, timers } = world()
    fail(new Passing('overloaded'))
    named(editor, 'a')
    await pause()
    await answer()
    expect(editor.state.saving.status).toBe('failed')
    fail(null)
    expect(timers.length).toBe(1)
    await pause()
    await answer()
    expect(editor.state.saving.status).toBe('saved')
  })

  it('flushes before something that needs the latest draft', async () => {
    const { editor, answer, server } = world()
    named(editor, 'a')
    const flushed = editor.flush()
    await answer()
    expect(await flushed).toBe(true)
    expect(server.draft.name).toBe('a')
  })
})

describe('a conflict', () => {
  async function conflict() {
    const all = world()
    all.server.draft = { ...all.server.draft, name: 'theirs' }
    all.server.revision = 7
    named(all.editor, 'mine')
    await all.pause()
    await all.answer()
    return all
  }

  it('stops saving and shows what they have', async () => {
    const { editor, server, timers } = await conflict()
    expect(editor.state.saving).toMatchObject({
      status: 'conflict',
      theirs: { revision: 7, draft: { name: 'theirs' } },
    })
    named(editor, 'mine too')
    expect(timers).toEqual([])
    expect(await editor.flush()).toBe(false)
    expect(server.draft.name).toBe('theirs')
  })

  it('ends by taking theirs, which can be undone', async () => {
    const { editor } = await conflict()
    editor.resolve('theirs')
    expect([editor.state.document.name, editor.state.saving.status]).toEqual(['theirs', 'saved'])
    editor.undo()
    expect([editor.state.document.name, editor.state.saving.status]).toEqual(['mine', 'unsaved'])
  })

  it('ends by keeping mine over theirs', async () => {
    const { editor, pause, answer, server } = await conflict()
    editor.resolve('mine')
    await pause()
    await answer()
    expect([server.draft.name, server.revision, editor.state.saving.status]).toEqual(['mine', 8, 'saved'])
  })
})

describe('secrets', () => {
  const withToken = (editor: FlowEditor, token: string) =>
    editor.edit(withValue(editor.state.document, '/steps/0/auth', { kind: 'bearer', token }), { label: 'token' })
  const tokenOf = (editor: FlowEditor) => (editor.state.document.steps[0]!['auth'] as { token: string }).token

  it('are replaced by what the service made of them, without an edit', async () => {
    const { editor, pause, answer } = world()
    withToken(editor, 'hunter2')
    await pause()
    await answer()
    expect([tokenOf(editor), editor.state.saving.status]).toEqual(['sealed:7', 'saved'])
    expect(editor.state.history.past).toHaveLength(1)
  })

  it('are kept as typed where they changed during the save', async () => {
    const { editor, pause, answer } = world()
    withToken(editor, 'hunter2')
    await pause()
    withToken(editor, 'hunter22')
    await answer()
    expect(tokenOf(editor)).toBe('hunter22')
    await pause()
    await answer()
    expect(tokenOf(editor)).toBe('sealed:8')
  })

  it('change nothing else', () => {
    const present = { a: ['x', { token: 't' }], b: 1 }
    const adopted = adoptSealed(present, { a: ['x', { token: 't' }] }, { a: ['y', { token: 'sealed:1' }] })
    expect(adopted).toEqual({ a: ['x', { token: 'sealed:1' }], b: 1 })
    expect(adoptSealed(present, present, structuredClone(present))).toBe(present)
  })
})

describe('what was saved elsewhere', () => {
  it('is taken over while there are no edits here', async () => {
    const { editor, server } = world()
    server.draft = { ...server.draft, name: 'theirs' }
    server.revision = 4
    await editor.refresh()
    expect([editor.state.document.name, editor.revision, editor.state.saving.status]).toEqual(['theirs', 4, 'saved'])
  })

  it('waits while there are', async () => {
    const { editor, server } = world()
    named(editor, 'mine')
    server.revision = 4
    await editor.refresh()
    expect([editor.state.document.name, editor.revision]).toEqual(['mine', 1])
  })
})
